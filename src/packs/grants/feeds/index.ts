export {
  checkContinuity,
  type Continuity,
  type ContinuityFinding,
  type FollowingStatement,
  type PreviousClosing,
} from './continuity.ts';
export { detectFormat } from './detect-format.ts';
export {
  type Balance,
  type EndEvent,
  FEED_FORMATS,
  type FeedEvent,
  type FeedFormat,
  type FeedPlace,
  type LineDetail,
  type LineEvent,
  type Statement,
  type StatementEndEvent,
  type StatementEvent,
} from './feed-events.ts';
export { readFeed } from './read-feed.ts';
