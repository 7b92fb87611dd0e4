/* link_speed.h: how much a network interface can carry. */
#ifndef TRI_WATCH_HOST_LINK_SPEED_H
#define TRI_WATCH_HOST_LINK_SPEED_H

/* Bytes a second in one direction: the rate of its token bucket filter, as virtual hosts have one, or else the speed that its driver tells.
 * 0 where neither is known, as for lo. */
double tri__link_speed(const char *name);

#endif
