// SPDX-License-Identifier: MIT
/* Messages of the live test: accepted ones can be written again, and are in range. */
#include "fuzz.h"

#include "smc_chk/live/proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proto_request request, again;
	struct proto_who who, who_again;
	uint8_t out[PROTO_SIZE];

	(void)proto_is_greeting(data, size);
	if (size < PROTO_SIZE)
		return 0;
	if (proto_get_request(&request, data)) {
		MUST(proto_is_request(data, size) && request.length <= PROTO_MAX_LENGTH);
		proto_put_request(out, &request);
		MUST(proto_get_request(&again, out));
		MUST(again.command == request.command && again.length == request.length);
	}
	if (proto_get_who(&who, data)) {
		proto_put_who(out, &who);
		MUST(proto_get_who(&who_again, out) && who_again.mode == who.mode);
		MUST(!who.has_reason || who_again.reason == who.reason);
	}
	return 0;
}
