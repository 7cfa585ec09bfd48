// SPDX-License-Identifier: MIT
/* A host of a matrix, as written by a compromised process. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "smc_chk/matrix/predict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("host", MFD_CLOEXEC);
	struct predict_host host;
	struct smc_err err = { 0 };
	struct prediction result;

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (!matrix_host_read(&host, fd, 0, &err)) {
		MUST(memchr(host.name, '\0', sizeof(host.name)));
		MUST(memchr(host.why, '\0', sizeof(host.why)));
		MUST(host.n_ueids <= SMC_MAX_UEIDS && host.n_chids <= PREDICT_CHIDS);
		predict(&result, &host, &host);
		matrix_host_free(&host);
	}
	close(fd);
	return 0;
}
