/** What goes wrong with the embedded server and its folder, by name. */
import { errorOf } from '../../core/index.ts';

export const badDirectory = errorOf('DATA_DIRECTORY');
export const embeddedFailed = errorOf('EMBEDDED_FAILED');
export const embeddedUnavailable = errorOf('EMBEDDED_UNAVAILABLE');
