/** What the sequencer's thread runs. */
import { workerData } from 'node:worker_threads';
import { runThread, type ThreadData } from './sequencer-thread.ts';

// Given by startSequencerThread.
await runThread(workerData as ThreadData);
