/** Verifies one export in a process of its own and tells its time and its peak memory. */
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import { watchMemory } from '../memory.ts';

const [folder = ''] = process.argv.slice(2);
const memory = watchMemory();
const startedMs = performance.now();
const before = process.cpuUsage();
const report = await verifyFolder(folder);
// All threads of the process together: on one core they would run one after the other.
const { user, system } = process.cpuUsage(before);
const elapsedSeconds = (performance.now() - startedMs) / 1000;
const entries = report.logs.reduce((sum, log) => sum + log.entries, 0);
const answer = { ok: report.ok, entries, elapsedSeconds, cpuSeconds: (user + system) / 1e6 };
process.send?.({ ...answer, ...memory.stop() }, () => process.exit(0));
