// SPDX-License-Identifier: MIT
/* Looks like a Go program without its note: build info in the data section, with its version. */
static volatile char info[64] __attribute__((aligned(16))) =
	"\xff Go buildinf:\b\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\10go1.24.4";

int main(void)
{
	return info[0] == 0;
}
