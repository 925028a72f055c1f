// A program that warms up and then serves, with the regressions that `ftprof check` must catch.
//
// warm_up plain|one-more|drop-pool|memset-first|moved|renamed
//   load_model     4 blocks of 8 MiB, every page touched; one-more: 5; renamed: load_model_v2
//   load_index     2 blocks of 2 MiB; moved: 4 more, and load_model one of 8 MiB less
//   take_frame     a block of 1 MiB from a pool, 12 times; drop-pool: the pool gives it back
//   make_picture   a block of 8 MiB, written in full; memset-first: cleared before
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/annotate.h"

enum { kPage = 4096, kMiB = 1024 * 1024 };
static const char* mode;
static long sum;

static int is(const char* name) { return strcmp(mode, name) == 0; }

__attribute__((noinline)) static void touch(char* block, size_t size) {
  for (size_t at = 0; at < size; at += kPage) block[at] = 1;
  sum += block[size - kPage];
}

__attribute__((noinline)) static void fill(char* block, size_t size) {
  for (volatile char* p = block; p < block + size; p += 64) *p = 2;
  sum += block[0];
}

__attribute__((noinline)) static void load_model(int blocks, size_t size) {
  for (int i = 0; i < blocks; ++i) touch(malloc(size), size);
}

__attribute__((noinline)) static void load_model_v2(int blocks, size_t size) {
  for (int i = 0; i < blocks; ++i) touch(malloc(size), size);
}

__attribute__((noinline)) static void load_index(int blocks) {
  for (int i = 0; i < blocks; ++i) touch(malloc(2 * kMiB), 2 * kMiB);
}

static char* kept;

__attribute__((noinline)) static char* take_frame(void) {
  char* frame = kept ? kept : malloc(kMiB);
  kept = NULL;
  touch(frame, kMiB);
  return frame;
}

__attribute__((noinline)) static void give_frame(char* frame) {
  if (is("drop-pool"))
    free(frame);
  else
    kept = frame;
}

__attribute__((noinline)) static void make_picture(void) {
  char* picture = malloc(8 * kMiB);
  if (is("memset-first")) memset(picture, 0, 8 * kMiB);
  fill(picture, 8 * kMiB);
}

__attribute__((noinline)) static void warm_up(void) {
  if (is("renamed"))
    load_model_v2(4, 8 * kMiB);
  else
    load_model(is("one-more") ? 5 : is("moved") ? 3 : 4, 8 * kMiB);
  load_index(is("moved") ? 6 : 2);
  make_picture();
}

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "plain";
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // set, so that glibc does not move it
  warm_up();
  FTPROF_MARK("ready");
  for (int i = 0; i < 12; ++i) give_frame(take_frame());
  printf("ok warm_up %d\n", sum != 0);
  return 0;
}
