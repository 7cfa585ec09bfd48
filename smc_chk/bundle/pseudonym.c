// SPDX-License-Identifier: MIT
#include "smc_chk/bundle/collect.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <strings.h>
#include <sys/socket.h>

/* ---- SipHash-2-4, after the paper of Aumasson and Bernstein, 2012 ---- */

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

/* Up to eight bytes, little-endian. */
static uint64_t word_of(const uint8_t *bytes, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static void mix(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len)
{
	uint64_t k0 = word_of(key, 8), k1 = word_of(key + 8, 8);
	uint64_t v[4] = { k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
			  k1 ^ 0x7465646279746573 };
	const uint8_t *bytes = data;
	size_t at = 0;

	for (; at + 8 <= len; at += 8)
		take(v, word_of(bytes + at, 8));
	take(v, word_of(bytes + at, len - at) | (uint64_t)len << 56);
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The kind is part of the hash: pseudonyms of different kinds are unrelated. */
enum kind { NAME, IPV4, IPV6, MAC, NUMBER };

/* Pseudo-random bits, which depend on the key, the kind and all bytes before. */
static uint64_t draw(const struct pseudonyms *all, enum kind kind, const void *before, size_t len)
{
	uint8_t data[1 + 256];

	data[0] = (uint8_t)kind;
	memcpy(data + 1, before, len);
	return siphash(all->key, data, len + 1);
}

/* Rotate by one to @count - 1 places in an alphabet. */
static char shifted(char c, char first, unsigned int count, uint64_t by)
{
	return (char)(first + ((unsigned int)(c - first) + 1 + by % (count - 1)) % count);
}

void pseudonym_name(const struct pseudonyms *all, char *name, size_t len)
{
	char before[256];

	for (size_t i = 0; i < len && i < sizeof(before) && name[i]; i++) {
		uint64_t by = draw(all, NAME, before, i);

		before[i] = (char)tolower((unsigned char)name[i]);
		if (name[i] >= '0' && name[i] <= '9')
			name[i] = shifted(name[i], '0', 10, by);
		else if (before[i] >= 'a' && before[i] <= 'z')
			name[i] = shifted(name[i], name[i] == before[i] ? 'a' : 'A', 26, by);
	}
}

/* Flip some bits from @first to @end, each depending on the bits before it. */
static void turn(const struct pseudonyms *all, enum kind kind, uint8_t *addr, size_t first,
		 size_t end)
{
	uint8_t before[17] = { 0 }, old[16];

	memcpy(old, addr, (end + 7) / 8);
	for (size_t bit = first; bit < end; bit++) {
		uint8_t mask = (uint8_t)(0x80 >> bit % 8);

		memcpy(before, old, bit / 8);
		before[bit / 8] = old[bit / 8] & (uint8_t) ~(2 * mask - 1);
		before[16] = (uint8_t)bit;
		if (draw(all, kind, before, sizeof(before)) & 1)
			addr[bit / 8] ^= mask;
	}
}

static bool is_special(uint8_t first)
{
	return !first || first == 127 || first >= 224;
}

void pseudonym_ipv4(const struct pseudonyms *all, uint8_t addr[4])
{
	if (is_special(addr[0]))
		return;
	/* Repeat until the result is an ordinary address: different addresses stay different. */
	do
		turn(all, IPV4, addr, 0, 8);
	while (is_special(addr[0]));
	turn(all, IPV4, addr, 8, 32);
}

void pseudonym_ipv6(const struct pseudonyms *all, uint8_t addr[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff }, zeros[15];

	if (!memcmp(addr, mapped, sizeof(mapped)))
		pseudonym_ipv4(all, addr + 12);
	else if (addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80)
		turn(all, IPV6, addr, 64, 128);
	else if (addr[0] != 0xff && (memcmp(addr, zeros, sizeof(zeros)) || addr[15] > 1))
		turn(all, IPV6, addr, 8, 128);
}

void pseudonym_mac(const struct pseudonyms *all, uint8_t mac[6])
{
	static const uint8_t none[6], every[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (!memcmp(mac, none, 6) || !memcmp(mac, every, 6))
		return;
	/* The last two bits of the first byte are flags: local, multicast. */
	turn(all, MAC, mac, 0, 6);
	turn(all, MAC, mac, 8, 48);
}

void pseudonym_number(const struct pseudonyms *all, void *number)
{
	uint64_t value, bytes;

	memcpy(&value, number, sizeof(value));
	if (!value)
		return;
	bytes = htole64(value); /* the same on each machine */
	value = draw(all, NUMBER, &bytes, sizeof(bytes));
	memcpy(number, &value, sizeof(value));
}

/* Append bytes in hexadecimal, with a colon after each @group of them. */
static void put_hex(struct out_text *text, const uint8_t *bytes, size_t len, size_t group)
{
	for (size_t i = 0; i < len; i++)
		out_printf(text, "%s%02x", i && i % group == 0 ? ":" : "", bytes[i]);
}

/* Write IPv6 as it was: with leading zeros or without. */
static bool put_ip(const struct pseudonyms *all, struct out_text *text, const char *word)
{
	int family = strchr(word, ':') ? AF_INET6 : AF_INET;
	char made[INET6_ADDRSTRLEN];
	uint8_t addr[16];

	if (inet_pton(family, word, addr) != 1)
		return false;
	if (family == AF_INET)
		pseudonym_ipv4(all, addr);
	else
		pseudonym_ipv6(all, addr);
	if (strlen(word) == 39)
		put_hex(text, addr, sizeof(addr), 2);
	else
		out_str(text, inet_ntop(family, addr, made, sizeof(made)));
	return true;
}

/* 52:54:00:12:34:56, and 5054:00ff:fe12:3456 as of an RDMA device */
static bool put_mac(const struct pseudonyms *all, struct out_text *text, const char *word)
{
	uint8_t addr[16] = { 0xfe, 0x80 }, *bytes = addr + 8;
	size_t group = strcspn(word, ":") / 2, len = 0;

	while (len < 8 && isxdigit((unsigned char)word[0]) && isxdigit((unsigned char)word[1])) {
		sscanf(word, "%2hhx", &bytes[len++]);
		word += 2;
		if (len % group == 0 && *word && *word++ != ':')
			return false;
	}
	if (*word || word[-1] == ':')
		return false;
	if (len == 6 && group == 1)
		pseudonym_mac(all, bytes);
	else if (len == 8 && group == 2)
		pseudonym_ipv6(all, addr);
	else
		return false;
	put_hex(text, bytes, len, group);
	return true;
}

static bool put_host(const struct pseudonyms *all, struct out_text *text, const char *word)
{
	size_t part = strcspn(all->host, ".");
	char name[256];

	if (!*all->host || (strcasecmp(word, all->host) &&
			    (strlen(word) != part || strncasecmp(word, all->host, part))))
		return false;
	snprintf(name, sizeof(name), "%s", word);
	pseudonym_name(all, name, sizeof(name));
	out_str(text, name);
	return true;
}

void pseudonym_text(const struct pseudonyms *all, struct out_text *text, const char *from,
		    size_t len)
{
	char word[256];

	for (size_t at = 0, end; at < len; at = end) {
		end = at;
		while (end < len && from[end] &&
		       (isalnum((unsigned char)from[end]) || strchr(":.-_", from[end])))
			end++;
		if (end == at) {
			out_char(text, from[end++]);
			continue;
		}
		snprintf(word, sizeof(word), "%.*s", end - at < sizeof(word) ? (int)(end - at) : 0,
			 from + at);
		if (!put_ip(all, text, word) && !put_mac(all, text, word) &&
		    !put_host(all, text, word))
			out_mem(text, from + at, end - at);
	}
}
