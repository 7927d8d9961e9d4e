/** Whoever the demo talks to, and who opens its page; all on loopback. */
export { type DocketSystem, startDocketSystem } from './docket-system.ts';
export { playGrantor, StoryClock } from './grantor.ts';
export { type MailHouse, startMailHouse } from './mail-house.ts';
export { lookAt, pressButton } from './visitor.ts';
