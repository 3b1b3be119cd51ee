/* faults_in.h - between the files of faults.h: may this call fail now? */
#ifndef TESTS_SUPPORT_FAULTS_IN_H
#define TESTS_SUPPORT_FAULTS_IN_H

#include "tests/support/faults.h"

bool faults_now(enum faults_kind kind);

#endif
