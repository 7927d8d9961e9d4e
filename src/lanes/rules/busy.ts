/** Whether the portal may still be at work on a request that we are done with: its ceiling counts that request. */
import { isThrottle, isVouchedFor } from './classify.ts';
import { type Answer, type Exchange, type Profile, statusMeaning } from '../../core/index.ts';

/**
 * True unless the outcome shows that the portal has finished. A request that was written and not answered shows nothing,
 * nor does a gateway that gives up (504) or turns away (429, 503), unless the profile says that it stands before the
 * portal. A page that breaks off, or that we break off because it has no end, is still being made.
 */
export function mayKeepBusy(exchange: Exchange, profile: Profile): boolean {
  if (exchange.mayBeBusy === true) return true;
  if (exchange.kind === 'answer') return !isLastWord(exchange, profile);
  const { written, answer } = exchange;
  return written || (answer !== undefined && mayKeepBusy(answer, profile));
}

function isLastWord(answer: Answer, profile: Profile): boolean {
  const { status, bodyEnd } = answer;
  if (bodyEnd === 'cut') return false;
  // Gateways and limiters say "not now" for themselves; what the portal behind them does, they do not know.
  const isOpen =
    status >= 500 || statusMeaning(status) === 'not_now' || isThrottle(answer, profile);
  return !isOpen || isVouchedFor(answer, profile);
}
