/** Apart from the room's main door, because reading law loads time zones, which most commands never need. */
export * from '../law-files.ts';
