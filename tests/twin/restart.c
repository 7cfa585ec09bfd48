// SPDX-License-Identifier: MIT
/* A server that starts again at its port, while connections of the previous one exist. */
#include "twin.h"

#define RESTART(kind, steps)                                                                       \
	"l." kind " bind note listen c.fresh join " steps " nap l.close d.fresh reconnect l." kind \
	" rebind is_same listen c.fresh join send a.readable recv"

#define RESTARTS(name, steps)                                                                      \
	PLAY(restart_##name, RESTART("fresh", steps))                                              \
	PLAY(restart_##name##_reuse, RESTART("reusing", steps))

RESTARTS(open, "send")
RESTARTS(time_wait, "a.close c.readable close")
RESTARTS(close_wait, "close a.readable")
RESTARTS(fin_wait, "a.close")
RESTARTS(last_ack, "close a.readable close")
RESTARTS(aborted, "a.abort")
RESTARTS(pending, "e.fresh connect")
PLAY(restart_reuseport, RESTART("sharing", "send"))

/* The next server starts before the previous one ends. */
#define EARLY(kind)                                                                                \
	"l." kind " bind note listen m." kind                                                      \
	" rebind listen is_same l.close m.listen c.fresh reconnect nap m.take"

PLAY(restart_early, EARLY("fresh"))
PLAY(restart_early_reuse, EARLY("reusing"))
PLAY(restart_early_reuseport, EARLY("sharing"))

/* A client connects again from its port. */
#define CLIENT(kind)                                                                               \
	"l.listener c." kind " bind note join close a.rest close nap c." kind                      \
	" rebind is_same refused"

PLAY(restart_client, CLIENT("fresh"))
PLAY(restart_client_reuse, CLIENT("reusing"))
