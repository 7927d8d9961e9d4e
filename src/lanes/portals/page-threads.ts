/**
 * Reads pages in threads that are ended when they take too long. The thread that sends and beats for the lease waits for
 * none of them; whoever asked hears "cannot be read". What a thread runs is page-thread-main.ts.
 */
import { Worker } from 'node:worker_threads';
import type { PageFacts, PageQuestion } from './page-facts.ts';

/** What the thread says: first that it has loaded its parser, then an answer to each question. */
export type ThreadWord = 'ready' | { readonly facts: PageFacts | undefined };

export interface ThreadQuestion {
  readonly html: string;
  readonly question: PageQuestion;
}

// Two megabytes of an honest page take a third of a second; a machine under load several times that.
const READING_MS_MAX = 3_000;
// Loading the parser, also on a machine that is starting many things at once.
const STARTING_MS_MAX = 20_000;
// One that reads a hostile page must not hold up the other lanes' pages; more would take the cores from the sending.
const THREADS_MAX = 2;
// An honest page of two megabytes needs some 60 MB.
const HEAP_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** Beside this file, in the compiler's output as in the bundle; the sources, as tests run them, use the compiler's. */
const THREAD_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/src/lanes/portals/page-thread-main.js', import.meta.url)
  : new URL('page-thread-main.js', import.meta.url);

interface Asked extends ThreadQuestion {
  readonly answer: (facts: PageFacts | undefined) => void;
}

export class PageThreads {
  private readonly waiting: Asked[] = [];
  private readonly idle: PageThread[] = [];
  private readonly all = new Set<PageThread>();
  private isClosed = false;

  read(html: string, question: PageQuestion): Promise<PageFacts | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    return new Promise((answer) => {
      this.waiting.push({ html, question, answer });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const asked of this.waiting.splice(0)) asked.answer(undefined);
    await Promise.all([...this.all].map((thread) => thread.end()));
  }

  private next(): void {
    while (this.waiting.length > 0) {
      const thread = this.idle.pop() ?? (this.all.size < THREADS_MAX ? this.start() : undefined);
      if (thread === undefined) return;
      const asked = this.waiting.shift();
      if (asked !== undefined) thread.ask(asked);
    }
  }

  private start(): PageThread {
    const thread = new PageThread({
      onIdle: () => {
        this.idle.push(thread);
        this.next();
      },
      onEnd: () => {
        this.all.delete(thread);
        const place = this.idle.indexOf(thread);
        if (place !== -1) this.idle.splice(place, 1);
        if (!this.isClosed) this.next();
      },
    });
    this.all.add(thread);
    return thread;
  }
}

interface ThreadEvents {
  readonly onIdle: () => void;
  readonly onEnd: () => void;
}

class PageThread {
  private readonly worker: Worker;
  private readonly events: ThreadEvents;
  private isReady = false;
  private asked: Asked | undefined;
  private limit: NodeJS.Timeout | undefined;

  constructor(events: ThreadEvents) {
    this.events = events;
    this.worker = new Worker(THREAD_FILE, { resourceLimits: HEAP_LIMITS });
    // Kept alive by the limit of what it reads, and by nothing else.
    this.worker.unref();
    // Only what page-thread-main.ts sends arrives here.
    this.worker.on('message', (word: ThreadWord) => this.heard(word));
    // Out of memory, or it could not be loaded. The exit follows, and answers whoever waits.
    this.worker.on('error', () => undefined);
    this.worker.on('exit', () => this.over());
  }

  ask(asked: Asked): void {
    this.asked = asked;
    if (this.isReady) this.post(asked);
    else this.limitTo(STARTING_MS_MAX);
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private heard(word: ThreadWord): void {
    if (word === 'ready') {
      this.isReady = true;
      if (this.asked !== undefined) this.post(this.asked);
      return;
    }
    this.settle(word.facts);
    this.events.onIdle();
  }

  private post({ html, question }: Asked): void {
    this.limitTo(READING_MS_MAX);
    this.worker.postMessage({ html, question } satisfies ThreadQuestion);
  }

  private limitTo(ms: number): void {
    clearTimeout(this.limit);
    this.limit = setTimeout(() => {
      // Its exit answers whoever waits.
      void this.end();
    }, ms);
  }

  private over(): void {
    this.settle(undefined);
    this.events.onEnd();
  }

  private settle(facts: PageFacts | undefined): void {
    clearTimeout(this.limit);
    const { asked } = this;
    this.asked = undefined;
    asked?.answer(facts);
  }
}
