/* link_speed.h: how much a network interface can carry. */
#ifndef TRI_WATCH_HOST_LINK_SPEED_H
#define TRI_WATCH_HOST_LINK_SPEED_H

/* Bytes a second in one direction: the rate of the interface's token bucket filter, which virtual hosts have, or else the speed that its
 * driver reports. 0 if neither is known, as for lo. */
double tri__link_speed(const char *name);

#endif
