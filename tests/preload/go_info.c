// SPDX-License-Identifier: MIT
/* Looks like a Go program without its note: build info in the data section. */
static volatile char info[] __attribute__((aligned(16))) = "\xff Go buildinf:\b\2";

int main(void)
{
	return info[0] == 0;
}
