/*
 * version.h - what the programs call themselves.
 */
#ifndef ENGINE_BASE_VERSION_H
#define ENGINE_BASE_VERSION_H

#define D7_VERSION "0.2.0"

#endif
