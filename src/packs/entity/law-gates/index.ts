/** Apart from the room's main door, because the law loads calendars and time zones, which most commands never need. */
export { lawGates } from './law-gates.ts';
