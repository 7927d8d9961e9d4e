import type { Instant, OpeningHours, Weekday } from '../../core/index.ts';

const MINUTE_MS = 60_000;

/**
 * Says whether the portal is open; remembers the present minute, because a portal is asked thousands of times in it.
 * Apart from the worker's own rule on purpose: a portal that shares the worker's mistake cannot show it.
 */
export class OpeningClock {
  private readonly hours: OpeningHours;
  private readonly format: Intl.DateTimeFormat;
  private minute = Number.NaN;
  private open = false;

  constructor(hours: OpeningHours) {
    this.hours = hours;
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: hours.zone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  }

  isOpen(now: Instant): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.open = this.compute(now);
    }
    return this.open;
  }

  private compute(now: Instant): boolean {
    const parts = new Map(this.format.formatToParts(now).map((part) => [part.type, part.value]));
    const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
    if (this.hours.closedOn.includes(`${part('year')}-${part('month')}-${part('day')}`)) {
      return false;
    }
    // Two digits each, so the order of the texts is the order of the times, up to and with 24:00.
    const time = `${part('hour')}:${part('minute')}`;
    const day = part('weekday').toLowerCase();
    return this.hours.weekly.some(
      (span) =>
        span.days.some((open: Weekday) => open === day) && span.from <= time && time < span.to,
    );
  }
}
