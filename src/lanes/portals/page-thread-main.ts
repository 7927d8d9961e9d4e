/** What a thread that reads pages runs. */
import { parentPort } from 'node:worker_threads';
import { parsePage } from '../profile/page-parser.ts';
import { factsOf } from './page-facts.ts';
import type { ThreadQuestion, ThreadWord } from './page-threads.ts';

const say = (word: ThreadWord): void => parentPort?.postMessage(word);

// Only PageThreads has the other end.
parentPort?.on('message', ({ html, question }: ThreadQuestion) =>
  say({ facts: factsOf(html, question) }),
);
// The parser is loaded with the first page; that time is not the page's.
parsePage('');
say('ready');
