# Sourced: configures and builds into FTPROF_BUILD (default build), or ends the caller with 2.
export FTPROF_BUILD=${FTPROF_BUILD:-$PWD/build}
[[ $FTPROF_BUILD == /* ]] || FTPROF_BUILD=$PWD/$FTPROF_BUILD
[[ -f $FTPROF_BUILD/build.ninja ]] ||
  meson setup "$FTPROF_BUILD" ${CI:+--werror} >/dev/null || exit 2
# Only a failed build is worth the reader's time.
log=$(mktemp)
ninja -C "$FTPROF_BUILD" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 2; }
rm -f "$log"
