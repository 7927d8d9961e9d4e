import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from '../command.ts';
import { cannotWrite, EXIT, misuse, type Profile, ruledOut } from '../../core/index.ts';
import { checkInLane, type ConformanceReport, readProfile } from '../../lanes/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import { systemClock } from '../../system/index.ts';
import { isSpecialAddress } from '../../wire/index.ts';
import {
  likelyDirectoryOf,
  environment,
  type GlobalOptions,
  loopbackToo,
  withAppIfRunning,
} from '../context.ts';
import { createOutput, table } from '../output.ts';
import { readProfileFile } from './lane.ts';

/** As in the profile schema; the file gets the same name in small letters. */
const LANE_CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TEMPLATES = { 'json-api': 'template', 'html-form': 'template-html' } as const;
const WAIT_SECONDS_MAX = 3_600;

export function addCommands(portal: Command): void {
  portal
    .command('new <name>')
    .description('create a profile from a template, for instance: portal new US-VT')
    .option('--driver <driver>', 'json-api or html-form', 'json-api')
    .option('--file <path>', 'file to write (default: the name in lower case, .json)')
    .action((name: string, own: { driver: string; file?: string }, command: Command) => {
      const out = createOutput(command.optsWithGlobals<GlobalOptions>().json === true);
      const file = own.file ?? `${name.toLowerCase()}.json`;
      const profile = startProfile(name, own.driver, file);
      out.result('portal new', { file, lane: profile.code, driver: profile.driver }, () =>
        [
          `Wrote ${file} (${profile.driver}). Next:`,
          '  edit baseUrl, paths, words and places to match the portal, and note in quirks what is verified',
          `  filewright portal check ${file} URL`,
        ].join('\n'),
      );
    });

  portal
    .command('check <profile> <url>')
    .description('check a portal against its profile; exit code 7 if a check fails')
    .option('--wait <seconds>', 'longest wait for a delayed status or a filing in process', '30')
    .action(async (file: string, url: string, own: { wait: string }, command: Command) => {
      const out = createOutput(command.optsWithGlobals<GlobalOptions>().json === true);
      const profile = aimedAt(readProfileFile(file), url);
      const check = {
        profile,
        clock: systemClock,
        // What was typed here is on this very machine, and meant.
        environment: {
          ...environment,
          ...(isLoopback(url) ? loopbackToo(environment) : {}),
          FILEWRIGHT_DATA: likelyDirectoryOf(command.optsWithGlobals<GlobalOptions>()),
        },
        run: randomBytes(6).toString('hex'),
        waitMsMax: readWait(own.wait) * 1_000,
      };
      const globals = command.optsWithGlobals<GlobalOptions>();
      const report = await withAppIfRunning(globals, (app, actor) =>
        checkInLane(app, actor, check, (lane, msMax) =>
          out.say(
            `Every slot of lane ${lane} is in use; waiting for one, at most ${Math.round(msMax / 1_000)} seconds.`,
          ),
        ),
      );
      out.result('portal check', report, () => reportText(report));
      if (!report.conforms) process.exitCode = EXIT.verification;
    });
}

function startProfile(name: string, driver: string, file: string): Profile {
  if (!LANE_CODE.test(name)) {
    throw misuse(
      `portal new: expected a lane code such as US-VT (letters, digits, ". _ -", at most 64), found "${name}"`,
    );
  }
  if (driver !== 'json-api' && driver !== 'html-form') {
    throw misuse(`--driver: expected json-api or html-form, found "${driver}"`);
  }
  const path = join(packageRoot(), 'profiles', `${TEMPLATES[driver]}.json`);
  const schema = relative(
    dirname(resolve(file)),
    join(packageRoot(), 'docs/reference/profile.schema.json'),
  );
  const text = readFileSync(path, 'utf8')
    .replaceAll(/TEMPLATE(?:-HTML)?/g, () => name)
    .replaceAll('portal.invalid/template', () => `portal.invalid/${name.toLowerCase()}`)
    .replace('../docs/reference/profile.schema.json', () => schema.replaceAll('\\', '/'));
  const profile = readProfile(text, file);
  try {
    // Never over a file that somebody has worked on.
    writeNew(file, text);
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    if (!isThere) throw cannotWrite(file, cause, '; choose another file with --file');
    throw ruledOut(`${file} exists and is not overwritten. Choose another file with --file.`, {
      cause,
    });
  }
  return profile;
}

/** A full disk must not leave the name without the text: the next try would take it for somebody's work. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The profile, leading to the address that was given. */
function aimedAt(profile: Profile, url: string): Profile {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw misuse(`portal check: expected an http(s) address, found "${url}"`);
  }
  const { hostname, search, hash, username } = new URL(url);
  if (search !== '' || hash !== '' || username !== '') {
    throw misuse('portal check: the address must have no user, query or fragment');
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  // Somebody typed it: an address inside this machine or network is meant, not smuggled in by a name server.
  const isPrivate = host === 'localhost' || (/^[\d.]+$|:/.test(host) && isSpecialAddress(host));
  if (!isPrivate && profile.automation !== 'allowed') {
    throw ruledOut(
      `Expected automation "allowed" in the profile before a portal on the internet is checked, found "${profile.automation}". Read the portal’s terms and set automation accordingly, or check a portal on this machine.`,
    );
  }
  if (!isPrivate && url.startsWith('http:')) {
    throw misuse('portal check: expected an https address outside this network');
  }
  const allowPrivateAddresses = isPrivate || profile.allowPrivateAddresses;
  return { ...profile, baseUrl: url, allowPrivateAddresses };
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

function readWait(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= WAIT_SECONDS_MAX) return seconds;
  throw misuse(`--wait: expected seconds from above 0 to ${WAIT_SECONDS_MAX}, found "${text}"`);
}

function reportText(report: ConformanceReport): string {
  const rows = report.checks.map(({ name, state, reason, found }) => [
    name,
    state,
    reason ?? '',
    found,
  ]);
  const failures = report.checks.filter(({ state }) => state === 'failed');
  const ran = report.checks.filter(({ state }) => state === 'passed').length + failures.length;
  return [
    table(['check', 'state', 'reason', 'found'], rows),
    '',
    ...failures.map(({ name, claim }) => `${name}: ${claim}`),
    report.conforms
      ? `${report.lane} at ${report.url} conforms to its profile (${ran} checks, ${report.checks.length - ran} skipped).`
      : `${report.lane} at ${report.url} does not conform to its profile: ${failures.length} of ${ran} checks failed.`,
  ].join('\n');
}
