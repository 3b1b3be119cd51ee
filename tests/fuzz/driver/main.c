/* One fuzz target as libFuzzer wants it; -DTARGET=fuzz_NAME says which. */
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    TARGET(bytes, len);
    return 0;
}
