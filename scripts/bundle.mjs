// Puts the command line into few files: most of a short command's time went into finding and reading a thousand small ones.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// Packages made of hundreds of files; the others stay as they are installed.
const BUNDLED =
  /^(commander|typebox|undici|string-width|strip-ansi|ansi-regex|get-east-asian-width)($|\/)/;

/** Reads the compiler's output in `dist` and writes `dist/cli`. */
export async function bundle(dist) {
  const entry = (path) => join(dist, 'src', path);
  const build = await rolldown({
    // The threads are started by their file names, beside whichever file starts them.
    input: {
      main: entry('cli/main.js'),
      'sequencer-thread-main': entry('ledger/store/sequencer-thread-main.js'),
      'page-thread-main': entry('lanes/portals/page-thread-main.js'),
    },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !/^[./]/.test(id) && !BUNDLED.test(id),
    // Our modules do nothing by being loaded; a command takes only what it uses of a room.
    treeshake: {
      moduleSideEffects: (id) => id.includes('node_modules') || isEntry(id),
    },
  });
  rmSync(join(dist, 'cli'), { recursive: true, force: true });
  await build.write({
    dir: join(dist, 'cli'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    // Else small helpers end up in one file with the HTTP client, and every command that uses one reads a megabyte.
    codeSplitting: {
      // A group takes its own files alone, not the helpers that they use.
      includeDependenciesRecursively: false,
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici/ },
        { name: 'typebox', test: /node_modules[\\/]typebox/ },
        { name: 'core', test: /[\\/]src[\\/]core[\\/]/ },
        { name: 'postgres', test: /[\\/]src[\\/]postgres[\\/](?!embedded)/ },
        // What is opened with the database, whatever is asked then.
        {
          name: 'opening',
          test: /[\\/]src[\\/]filings[\\/](store[\\/](intake-store|delivery-store|claim-faults|receipts|tick\b|warned|forecast)|watch[\\/]arrival|rules[\\/](forecast-warnings|thresholds))/,
        },
        {
          name: 'system',
          test: /[\\/]src[\\/]system[\\/](?!law-files|log\.|export-folder|witness)/,
        },
        { name: 'lanes', test: /[\\/]src[\\/]lanes[\\/](rules|store[\\/](?!compared-rows))/ },
        // Every command asks who acts.
        { name: 'actors', test: /[\\/]src[\\/](access|people[\\/]acts[\\/]people)\b/ },
        { name: 'profiles', test: /[\\/]src[\\/]lanes[\\/]profile[\\/]/ },
        { name: 'brokers', test: /[\\/]src[\\/]dockets[\\/]brokers[\\/](rabbit|redis)-(?!url)/ },
        // Most commands tell somebody what was done.
        {
          name: 'people',
          test: /[\\/]src[\\/]people[\\/](alerts|changes|trust-alerts|access-notes|store[\\/](?!compared-rows))/,
        },
        { name: 'senders', test: /[\\/]src[\\/]people[\\/](notify[\\/]|notice-sender)/ },
        {
          name: 'jobs',
          test: /[\\/]src[\\/]oversight[\\/](jobs|acts[\\/](consumers|docket-router))\./,
        },
        // Rows against entries: asked by one option of one command, and every night.
        {
          name: 'rows',
          test: /[\\/]src[\\/](ledger[\\/]rows[\\/]|.*[\\/](compared-rows|audit-rows|watch-rows)\.)/,
        },
        { name: 'portals', test: /[\\/]src[\\/]lanes[\\/]portals[\\/]/ },
        // Whoever checks a profile looks at the form of its references, and opens no connection.
        {
          name: 'wire',
          test: /[\\/]src[\\/]wire[\\/](?!credentials|reference|secret-|private-networks|address-guard)/,
        },
      ],
    },
  });
  await build.close();
}

function isEntry(id) {
  return id.endsWith('cli/main.js') || id.endsWith('-thread-main.js');
}
