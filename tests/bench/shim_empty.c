/* The least that a preloaded library can cost: it is loaded and does nothing. */
int ftprof_shim_is_loaded = 1;
