// SPDX-License-Identifier: MIT
/* smc_dump: from packets to connections and text. See also tests/cli/smc_dump.t. */
#include "said.h"

#include "smc_dump/flow.h"
#include "smc_dump/print_event.h"

#define ETHER "020000000002 020000000001"
#define DECLINE "e2d4c3d9 04001c10 00000000 00000000 03030000 00000000 e2d4c3d9"

/* IPv4, length 48; IPv4 with a VLAN, length 48; IPv6, length 28; the decline, length 68. */
static const char syn[] = ETHER "0800 45000030 00010000 40060000 0a000001 0a000002"
				"9c401b58 ffffffff 00000000 7002ffff 00000000 0101fe06 e2d4c3d9";
static const char syn_ack[] =
	ETHER "8100 0007 0800 45000030 00010000 40060000 0a000002 0a000001"
	      "1b589c40 00000100 00000000 7012ffff 00000000 0101fe06 e2d4c3d9";
static const char plain_syn6[] =
	ETHER "86dd 60000000 0014 06 40 fd000000000000000000000000000001"
	      "fd000000000000000000000000000002 9c401b58 00000001 00000000 5002ffff 00000000";
static const char decline[] = ETHER "0800 45000044 00010000 40060000 0a000001 0a000002"
				    "9c401b58 00000000 00000101 5018ffff 00000000" DECLINE "0000";

struct seen {
	size_t count;
	enum flow_event_kind kinds[8];
	struct out_text text;
};

static int on_event(void *arg, const struct flow_event *event)
{
	static const struct show quiet = { .is_quiet = true };
	struct seen *seen = arg;

	assert_true(seen->count < ARRAY_SIZE(seen->kinds));
	seen->kinds[seen->count++] = event->kind;
	show_event(&seen->text, &quiet, event);
	return 0;
}

static struct packet read_packet(uint8_t *bytes, size_t size, const char *text)
{
	struct packet packet;
	size_t len = hex(bytes, size, text);

	packet_decode(&packet, 1, bytes, len, len);
	packet.time = (struct packet_time){ 61, 0 };
	return packet;
}

TEST(packets)
{
	uint8_t bytes[256];
	struct packet packet = read_packet(bytes, sizeof(bytes), syn);

	assert_int_equal(packet.kind, PACKET_TCP);
	assert_true(packet.offers_smc && packet.flags == PACKET_SYN && !packet.has_vlan);
	assert_int_equal(packet.from.port, 40000);
	assert_int_equal(packet.to.port, 7000);
	assert_int_equal(packet.to.ip[3], 2);
	assert_int_equal(packet.seq, 0xffffffff);
	packet = read_packet(bytes, sizeof(bytes), syn_ack);
	assert_true(packet.has_vlan && packet.vlan == 7 && packet.offers_smc);
	packet = read_packet(bytes, sizeof(bytes), plain_syn6);
	assert_int_equal(packet.from.family, AF_INET6);
	assert_false(packet.offers_smc);
	assert_int_equal(packet.to.ip[15], 2);
	/* Ethernet padding follows. */
	packet = read_packet(bytes, sizeof(bytes), decline);
	assert_int_equal(packet.len, 28);
	assert_int_equal(packet.full, 28);
	packet_decode(&packet, 1, bytes, 60, 84);
	assert_int_equal(packet.len, 6);
	assert_int_equal(packet.full, 28);
	packet_decode(&packet, 1, bytes, 33, 84);
	assert_int_equal(packet.kind, PACKET_OTHER);
	assert_false(packet_knows_link(147));
}

#define OPTIONS(hex)                                                                               \
	ETHER "0800 45000030 00010000 40060000 0a000001 0a000002"                                  \
	      "9c401b58 ffffffff 00000000 7002ffff 00000000" hex

/* The option after others, and malformed option lists. */
TEST(options)
{
	static const char *const without[] = {
		OPTIONS("00000000 fe06e2d4 "), OPTIONS("0101fe05 e2d4c3d9"),
		OPTIONS("fe09e2d4 c3d90101"),  OPTIONS("02000101 fe06e2d4"),
		OPTIONS("0101fe06 e2d4c3c4"),  OPTIONS("fd06e2d4 c3d90101"),
	};
	uint8_t bytes[256];

	assert_true(read_packet(bytes, sizeof(bytes), OPTIONS("fe06e2d4 c3d90101")).offers_smc);
	assert_true(read_packet(bytes, sizeof(bytes), OPTIONS("0102fe06 e2d4c3d9")).kind);
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_false(read_packet(bytes, sizeof(bytes), without[i]).offers_smc);
}

#define TCP "9c401b58 00000001 00000000 5002ffff 00000000"
#define IPV6(length, next)                                                                         \
	"60000000" length next "40"                                                                \
	"fd000000000000000000000000000001"                                                         \
	"fd000000000000000000000000000002"

/* Fragments, and extension headers between IPv6 and TCP. */
TEST(headers)
{
	static const struct {
		const char *text;
		enum packet_kind kind;
	} cases[] = {
		{ ETHER "0800 45000028 00012000 40060000 0a000001 0a000002" TCP, PACKET_TCP },
		{ ETHER "0800 45000028 00010001 40060000 0a000001 0a000002" TCP, PACKET_OTHER },
		{ ETHER "0800 4600002c 00010000 40060000 0a000001 0a000002 94040000" TCP,
		  PACKET_TCP },
		{ ETHER "0800 44000028 00010000 40060000 0a000001 0a000002" TCP, PACKET_OTHER },
		{ ETHER "0800 45000028 00010000 40010000 0a000001 0a000002" TCP, PACKET_OTHER },
		{ ETHER "0800 45000028 00010000 40110000 0a000001 0a000002" TCP, PACKET_OTHER },
		/* Length 0: segmentation offload. */
		{ ETHER "0800 45000000 00010000 40060000 0a000001 0a000002" TCP, PACKET_TCP },
		{ ETHER "86dd" IPV6("001c", "00") "0600000000000000" TCP, PACKET_TCP },
		{ ETHER "86dd" IPV6("0024", "3c") "0601000000000000 0000000000000000" TCP,
		  PACKET_TCP },
		{ ETHER "86dd" IPV6("001c", "2c") "0600000000000001" TCP, PACKET_TCP },
		{ ETHER "86dd" IPV6("001c", "2c") "0600000800000001" TCP, PACKET_OTHER },
		{ ETHER "86dd" IPV6("001c", "3b") "0600000000000000" TCP, PACKET_OTHER },
		{ ETHER "86dd" IPV6("0008", "00") "06ff000000000000", PACKET_OTHER },
		{ ETHER "88a8 0001 8100 0002 86dd" IPV6("0014", "06") TCP, PACKET_TCP },
		{ ETHER "0806 45000028 00010000 40060000 0a000001 0a000002" TCP, PACKET_OTHER },
	};
	uint8_t bytes[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(read_packet(bytes, sizeof(bytes), cases[i].text).kind,
				 cases[i].kind);
	assert_int_equal(read_packet(bytes, sizeof(bytes), cases[13].text).vlan, 2);
}

TEST(links)
{
	static const int links[] = { 0, 12, 101, 108, 113, 228, 229, 276 };
	static const size_t sizes[] = { 4, 0, 0, 4, 16, 0, 0, 20 };
	uint8_t bytes[256] = { 0 };
	struct packet packet;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		len = sizes[i] +
		      hex(bytes + sizes[i], sizeof(bytes) - sizes[i], IPV6("0014", "06") TCP);
		if (sizes[i] > 4)
			hex(bytes + (links[i] == 113 ? 14 : 0), 2, "86dd");
		packet_decode(&packet, links[i], bytes, len, len);
		assert_int_equal(packet.kind, PACKET_TCP);
		assert_int_equal(packet.from.port, 40000);
		packet_decode(&packet, links[i], bytes, sizes[i] + 10, len);
		assert_int_equal(packet.kind, PACKET_OTHER);
	}
}

/* tests/cli/packets.py has no packets with nested VLANs. */
TEST(two_vlans)
{
	uint8_t bytes[256];
	struct packet packet;
	size_t len =
		hex(bytes, sizeof(bytes),
		    ETHER "91000001 810000020800 45000028 00010000 40060000 0a000001 0a000002" TCP);

	packet_decode(&packet, 1, bytes, len, len);
	assert_int_equal(packet.kind, PACKET_TCP);
}

TEST(handshake)
{
	static const char *const all[] = { syn, syn_ack, decline };
	struct seen seen = { 0 };
	struct flow_table *flows = flow_new(on_event, &seen, false);
	uint8_t bytes[256];

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct packet packet = read_packet(bytes, sizeof(bytes), all[i]);

		assert_int_equal(flow_packet(flows, &packet), 0);
	}
	assert_int_equal(flow_end(flows), 0);
	flow_free(flows);
	out_char(&seen.text, '\0');
	assert_string_equal(
		seen.text.data,
		"00:01:01.000000 10.0.0.1:40000 > 10.0.0.2:7000  SYN, offers SMC\n"
		"00:01:01.000000 10.0.0.2:7000 > 10.0.0.1:40000 vlan 7  SYN-ACK, offers SMC\n"
		"00:01:01.000000 10.0.0.1:40000 > 10.0.0.2:7000  decline, version 1, "
		"0x03030000 NOSMCDEV\n"
		"00:01:01.000000 10.0.0.1:40000 > 10.0.0.2:7000  => TCP, 0x03030000 NOSMCDEV, "
		"found by the client\n");
	assert_int_equal(seen.kinds[3], FLOW_OUTCOME);
	out_free(&seen.text);
}

/* The table is full: the oldest connection is dropped, and reported. */
TEST(many)
{
	struct seen seen = { 0 };
	struct flow_table *flows = flow_new(on_event, &seen, false);
	uint8_t bytes[256];
	struct packet packet = read_packet(bytes, sizeof(bytes), syn);

	for (uint32_t i = 0; i < 16384 + 2; i++) {
		memcpy(packet.from.ip, &i, sizeof(i));
		seen.count = 0;
		assert_int_equal(flow_packet(flows, &packet), 0);
		assert_int_equal(seen.count, i < 16384 ? 1 : 2);
	}
	assert_int_equal(seen.kinds[0], FLOW_OUTCOME);
	flow_free(flows);
	out_free(&seen.text);
}

/* With invalid times the duration is unknown. */
TEST(times)
{
	static const struct show quiet = { .is_quiet = true };
	struct smc_clc confirm = { .type = SMC_CLC_CONFIRM, .version = 1 };
	struct flow_conn conn = {
		.ends = { { .family = AF_INET }, { .family = AF_INET } },
		.messages[SMC_CLC_CONFIRM] = &confirm,
		.proposed = { 61, 0 },
		.answered = { 61, 1500000 },
	};
	const struct flow_event event = { .kind = FLOW_OUTCOME, .conn = &conn };
	struct out_text text = { 0 };

	show_event(&text, &quiet, &event);
	assert_non_null(strstr(said(&text), "=> SMC-R version 1, handshake 1.500 ms\n"));
	conn.proposed.seconds = INT64_MIN;
	show_event(&text, &quiet, &event);
	assert_non_null(strstr(said(&text), "=> SMC-R version 1\n"));
}
