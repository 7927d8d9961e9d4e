/**
 * Formatters of one shape, by zone. Each costs tens of microseconds and kilobytes, and there are about 420 zones; so
 * each is made once.
 */
export function zoneFormats(
  locale: string,
  shape: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (timeZone) => {
    let format = made.get(timeZone);
    if (format === undefined) {
      format = new Intl.DateTimeFormat(locale, { ...shape, timeZone });
      made.set(timeZone, format);
    }
    return format;
  };
}
