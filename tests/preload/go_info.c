// SPDX-License-Identifier: MIT
/* Looks like a program of the Go linker, stripped of its note, by the build info in its data. */
static volatile char info[] __attribute__((aligned(16))) = "\xff Go buildinf:\b\2";

int main(void)
{
	return info[0] == 0;
}
