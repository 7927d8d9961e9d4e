"""Time stamps of an export (logs/*/timestamps/SIZE.tsr, RFC 3161) against the heads that they are of; used by verify.py,
written apart from the program. The command `openssl ts` does the checking. It judges certificates at the moment that the
stamp names, because stamps outlive certificates; whether one was revoked since is not asked."""
import datetime, hashlib, re, subprocess
STAMP_MAX = 64 << 10
AT = '%b %d %H:%M:%S %Y'
def run(*words):
    done = subprocess.run(['openssl', 'ts', *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode == 0, done.stdout.decode('latin-1'), done.stderr.decode('latin-1')
def moment(path):  # In seconds since 1970; None where it is no stamp.
    good, text, _ = run('-reply', '-in', path, '-token_in', '-token_out', '-text')
    found = re.search(r'^Time stamp: (\w+ +\d+ \d\d:\d\d:\d\d)(?:[.]\d+)? (\d{4}) GMT$', text, re.M)
    if not good or not found: return None
    when = datetime.datetime.strptime(re.sub(' +', ' ', '%s %s' % found.groups()), AT)
    return int(when.replace(tzinfo=datetime.timezone.utc).timestamp())
def fault_of(folder, path, authorities, warnings):
    size = path.name[:-4]
    if not re.fullmatch('[1-9][0-9]{0,15}', size) or path.suffix != '.tsr': return ('TIMESTAMP_MALFORMED', 'its name')
    notes = [folder / 'checkpoints' / size, folder / 'checkpoint']  # Their signatures were checked before.
    heads = [note.read_bytes().split(b'\n')[:3] for note in notes if note.is_file()]
    head = next((head for head in heads if head[1:2] == [size.encode()]), None)
    if head is None: return ('FILE_MISSING', 'no head of %s entries' % size)
    at = moment(path) if path.stat().st_size <= STAMP_MAX else None
    if at is None: return ('TIMESTAMP_MALFORMED', 'openssl cannot read it')
    digest = hashlib.sha256(b'\n'.join(head) + b'\n').hexdigest()
    if not authorities:
        warnings.append('%s: no authority to hold it against; name one with --timestamp-ca' % path)
        return None
    good, _, why = run('-verify', '-digest', digest, '-in', path, '-token_in', '-CAfile', authorities, '-partial_chain',
                       '-attime', at)
    if good: return None
    if 'imprint mismatch' in why: return ('TIMESTAMP_MISMATCH', 'it is a stamp of something else')
    return ('TIMESTAMP_UNTRUSTED', (re.findall('[^:\n]+$', why.strip()) or ['it does not hold'])[0])
def faults(logs, given, warnings):
    """Called when the logs were found to hold. The first failure, as verify.py tells it."""
    count, spines = 0, []
    for folder in logs:
        place = folder / 'timestamps'
        own = place / 'authorities.pem'
        if (folder / 'checkpoint').read_bytes().split(b'\n')[0].endswith(b'/spine'): spines.append(folder)
        stamps = sorted((path for path in place.glob('*') if path != own), key=lambda path: (len(path.name), path.name))
        if stamps and not given and own.is_file():
            warnings.append('%s is from the export: self-consistency only' % own)
        for path in stamps:
            found = fault_of(folder, path, given[0] if given else own if own.is_file() else None, warnings)
            if found: return [(found[0], '%s: %s' % (path, found[1]), 3 if found[0] == 'FILE_MISSING' else 7)]
            count += 1
    if given and spines and not count: return [('TIMESTAMP_MISSING', '%s has no time stamp' % spines[0], 7)]
    return []
