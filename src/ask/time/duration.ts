/** Lengths in milliseconds. A day is 24 hours of wall clock; how long it lasts is the zone's business. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
