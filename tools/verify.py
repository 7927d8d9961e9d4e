"""Check a Filewright ledger export, or a proof pack taken from one, offline: python3 verify.py DIR
Written from the published format alone; shares no code with the program that wrote the export. Needs Python
3.8 and the `openssl` command (3.0), no network. Shows that the records are those the log signed, complete and
in order; not that they are true, nor that each change of state was allowed. --policy FILE, --vkey KEY: whom
to trust, from another source than the export. --first-key KEY: the first key of a log; later keys must follow
from it. --pinned FILE: a checkpoint trusted earlier. --disclose FILE: {"id","salt","body"} of a sealed body.
--timestamp-ca FILE: whose time stamps count. Exit code: 0 verified, 7 failed, 2 wrong usage, 3 not found."""
import argparse, base64, datetime, hashlib, hmac, itertools, json, os, re, runpy, stat, subprocess, sys
import tempfile
from pathlib import Path
FILE_MAX = 64 << 20  # No file of an export is larger; one that is was not written to be read.
TILE = 256  # Hashes of a tile, entries of a bundle (C2SP tlog-tiles).
FORM = (  # An entry of version 1 as it is spelled, but for its data. H is a hash, T a time, S a string.
    '{"actor":{"id":S,"kind":"(service|user|system)"},"at":T,"body":(null|{"alg":"A256GCM","cm":H,"ct":H,'
    '"key":S}),"cls":"(public|internal|confidential|privileged)","data":{},"id":"[0-9a-f]{8}-[0-9a-f]{4}-7'
    '[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}","log":S,"prev":H,"seq":[0-9]+,"subj":{"id":S,"kind":S,"ver":'
    '-?[0-9]+},"trace":S,"ts":T,"type":"[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)+","v":1}').replace(
    'H', '"[0-9a-f]{64}"').replace('S', r'"([^"\\]|\\.)*"').replace(
    'T', '"[0-9]{4}(-[0-9]{2}){2}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}[.][0-9]{3}Z"')
class Failure(Exception): """Raised with (reason, where, exit code)."""
def require(condition, reason, where):
    if not condition: raise Failure(reason, str(where), 7)
def refuse(complaint): raise ValueError(complaint)
def expect(condition, complaint): return condition or refuse(complaint)
def strictly(reason, where, parse, *arguments):  # However parsing goes wrong, it gets this one reason.
    try: return parse(*arguments)
    except Exception as error: raise Failure(reason, '%s: %s' % (where, error), 7)
def sha256(data): return hashlib.sha256(data).digest()
# --- Canonical JSON (RFC 8785, integers only): one value has one spelling, so it has one hash.
def depth(value):
    if not isinstance(value, (dict, list)): return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)
def spell(value): return json.dumps(value, ensure_ascii=False, separators=(',', ':'))  # As RFC 8785 escapes.
def ordered(pairs):  # Most readers keep the last of two equal keys; two readers could then disagree.
    expect(len(dict(pairs)) == len(pairs), 'a key occurs twice')
    return dict(sorted(pairs, key=lambda pair: pair[0].encode('utf-16-be')))  # By UTF-16 units.
def parse_canonical(raw):
    def integer(word): return int(word) if abs(int(word)) < 2**53 else refuse(word)
    value = json.loads(raw.decode('utf-8'), object_pairs_hook=ordered, parse_int=integer, parse_float=refuse,
                       parse_constant=refuse)
    expect(spell(value).encode('utf-8') == raw and len(raw) < 65536 and depth(value) <= 64, 'not canonical')
    return value
# --- The Merkle tree of RFC 6962. Leaves start with 0 and nodes with 1, so neither can pass for the other.
def leaf_hash(entry): return sha256(b'\x00' + entry)
def node(left, right): return sha256(b'\x01' + left + right)
def left_part(size): return 1 << (size - 1).bit_length() >> 1  # The largest power of two smaller than size.
def subtree_root(hashes):
    half = left_part(len(hashes))
    return node(subtree_root(hashes[:half]), subtree_root(hashes[half:])) if half else hashes[0]
def root_from_proof(leaf, index, size, proof):  # The last hash of a proof is the other part at the top.
    expect(index < size and (size > 1) == bool(proof) and {*map(len, [leaf, *proof])} == {32}, 'bad proof')
    if not (half := left_part(size)): return leaf
    if index < half: return node(root_from_proof(leaf, index, half, proof[:-1]), proof[-1])
    return node(proof[-1], root_from_proof(leaf, index - half, size - half, proof[:-1]))
# --- Keys, policy, signed checkpoints (C2SP signed-note, tlog-policy, tlog-checkpoint, tlog-cosignature).
def base64_exact(text):  # Decoders pass over some bits of base64; only the one exact spelling is accepted.
    expect(base64.b64encode(base64.b64decode(text, validate=True)).decode() == text, 'bad base64: ' + text)
    return base64.b64decode(text)
class Policy:  # keys[name, id] = (key, witness label or None, sizes); groups[label] = (needed, members)
    def __init__(self, data):
        self.keys, self.groups, self.quorum, self.free, sizes = {}, {'none': (0, [])}, '', set(), None
        self.chain, self.together = [], {}  # Keys of logs; who signed together, up to which size.
        for kind, *words in [re.split('[ \t]+', row.strip(' \t')) for row in data.decode().split('\n')]:
            if kind == '#sizes': first, last = words[0].split('-'); sizes = [int(first), int(last or 2**53)]
            if kind[:1] in '#': continue
            counts = {'log': (1, 2), 'witness': (2, 3), 'group': range(3, 99), 'quorum': (1,)}
            expect(len(words) in counts[kind] and (kind == 'log' or not sizes), 'not a line: ' + kind)
            if kind == 'log': sizes = self.add_key(words[0], 1, None, sizes or [0, 2**53])
            elif kind == 'witness': self.add_key(words[1], 4, words[0], []), self.define(words[0], '1', [])
            elif kind == 'group': self.define(words[0], words[1], words[2:])
            else: self.quorum = words[0] if words[0] in self.groups and not self.quorum else refuse(words[0])
        expect(self.quorum and not sizes and re.fullmatch(b'[\t\n -~\x80-\xff]*\n', data), 'no quorum or end')
    def add_key(self, vkey, kind, label, sizes):
        name, key_id, encoded = vkey.split('+', 2)
        key = base64_exact(encoded)  # One byte of type (1 log, 4 witness), then the Ed25519 public key.
        fits = sha256(name.encode() + b'\n' + key)[:4].hex() == key_id and key[0] == kind and len(key) == 33
        expect(fits and re.fullmatch(r'\S+', name) and sizes == sorted(sizes), 'not a usable key: ' + vkey)
        expect(all(key[1:] != other[1:] for other, *_ in self.keys.values()), 'key given twice: ' + vkey)
        self.keys[name, key_id] = (key, label, sizes)
        if label is None: self.chain.append((sizes[0], sizes[1], name, vkey))
    def define(self, label, needed, members):  # A member is defined before, and in one group: it counts once.
        needed = {'any': 1, 'all': len(members)}.get(needed) or int(re.fullmatch('[1-9][0-9]*', needed)[0])
        expect(label not in self.groups and 0 < needed <= max(1, len(members)), 'bad definition: ' + label)
        for member in members: self.free.remove(member)
        self.groups[label], self.free = (needed, members), self.free | {label}
    def is_met(self, label, cosigned):  # A witness has no members: only its own signature meets it.
        needed, members = self.groups[label]
        return label in cosigned or sum(self.is_met(member, cosigned) for member in members) >= needed
def is_signed(public_key, text, signature):
    with tempfile.TemporaryDirectory() as folder:
        der = bytes.fromhex('302a300506032b6570032100') + public_key  # RFC 8410: an Ed25519 public key.
        for name, part in ('key', der), ('in', text), ('sig', signature): Path(folder, name).write_bytes(part)
        command = 'openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in in -sigfile sig'
        run = subprocess.run(command.split(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode == 0 or b'Verification Failure' in run.stdout: return run.returncode == 0
    raise Failure('FILE_MISSING', 'an openssl command that can check Ed25519: install OpenSSL 3', 3)
def parse_note(data):
    text, blank, tail = data.decode('utf-8').rpartition('\n\n')
    whole = blank and tail.endswith('\n') and not re.search('[\x00-\x09\x0b-\x1f]', text + tail)
    expect(whole and tail.count('\n') <= 100, 'control characters, no signatures, cut short, or over 100')
    lines = [re.fullmatch('\u2014 ([^+\\s]+) (\\S+)', line) for line in tail[:-1].split('\n')]
    expect(all(line and len(base64_exact(line[2])) > 4 for line in lines), 'a signature line is wrong')
    return text + '\n', [(line[1], base64_exact(line[2])) for line in lines]
def signers(text, signatures, policy, where):  # Unknown keys are passed over; a known one must have signed.
    logs, cosigned = [], set()
    for name, raw in [line for line in signatures if (line[0], line[1][:4].hex()) in policy.keys]:
        key, label, sizes = policy.keys[name, raw[:4].hex()]
        signature, body = raw[4:], text.encode('utf-8')
        if key[0] == 4:  # A witness signs the time of its own clock together with the text.
            signature, body = raw[12:], b'cosignature/v1\ntime %d\n' % int.from_bytes(raw[4:12], 'big') + body
        signed = len(signature) == 64 and is_signed(key[1:], body, signature)
        require(signed, 'UNTRUSTED_SIGNATURE', '%s: the signature of %s is wrong' % (where, name))
        logs.append((name, *sizes)) if label is None else cosigned.add(label)
    require(logs, 'UNTRUSTED_SIGNATURE', '%s: no log key of the policy signed it' % where)
    return logs, cosigned
def open_checkpoint(data, policy, where, quorum):
    text, signatures = strictly('MALFORMED_CHECKPOINT', where, parse_note, data)
    head = re.fullmatch('(.+)\n(0|[1-9][0-9]{0,19})\n([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)\n', text)
    require(head and int(head[2]) < 2**53, 'MALFORMED_CHECKPOINT', '%s: not origin, size and root' % where)
    logs, cosigned = signers(text, signatures, policy, where)
    require(policy.is_met(quorum, cosigned), 'UNTRUSTED_SIGNATURE', '%s: quorum %s not met' % (where, quorum))
    own, size = [sizes for name, *sizes in logs if name == head[1]], int(head[2])
    ids = {(name, raw[:4].hex()) for name, raw in signatures if name == head[1]}
    ids = frozenset(ids & policy.keys.keys())
    policy.together[ids] = max(size, policy.together.get(ids, 0))
    require(own, 'ORIGIN_MISMATCH', '%s: it names %s, which did not sign it' % (where, head[1]))
    require(any(a <= size <= z for a, z in own), 'UNTRUSTED_SIGNATURE', '%s: not the key of its size' % where)
    return head[1], size, base64.b64decode(head[3])
class Entries:  # What binds an entry to those before it. A proof pack (whole=False) shows only some of them.
    def __init__(self, origin, whole):
        self.origin, self.whole, self.next, self.ts, self.ids, self.versions = origin, whole, 0, '', set(), {}
        self.prev = sha256(b'filewright.ledger.v1\n' + origin.encode() + b'\n').hex()
    def check(self, raw, index, where):
        entry = strictly('NOT_CANONICAL', where, parse_canonical, raw)
        for field, value, reason in [('v', 1, 'UNSUPPORTED_VERSION'), ('log', self.origin, 'ORIGIN_MISMATCH'),
                ('seq', index, 'SEQ_GAP')] + [('prev', self.prev, 'CHAIN_BREAK')] * (index == self.next):
            found = spell(entry.get(field) if type(entry) is dict else None)  # In Python itself true is 1.
            require(found == spell(value), reason, '%s: its %s is %s' % (where, field, found))
        bare = {**entry, 'data': {} if type(entry.get('data')) is dict else None}
        require(re.fullmatch(FORM, spell(bare)), 'UNSUPPORTED_VERSION', where)
        for time in entry['ts'], entry['at']:  # There is no 30th of February.
            strictly('UNSUPPORTED_VERSION', where, datetime.date.fromisoformat, time[:10])
        require(entry['ts'] >= self.ts, 'TIME_REGRESSION', where + ': its ts is ' + entry['ts'])
        subject, version = json.dumps([entry['subj']['kind'], entry['subj']['id']]), entry['subj']['ver']
        subject, digest = sha256(subject.encode())[:16], sha256(entry['id'].encode())[:16]  # To save memory.
        require(digest not in self.ids, 'DUPLICATE_ID', where + ': ' + entry['id'])
        step = version - self.versions.get(subject, 0)
        require(step == 1 or step > 1 and not self.whole, 'SUBJECT_VERSION_GAP', '%s: %d' % (where, version))
        self.ids.add(digest), self.versions.update({subject: version})
        self.ts, self.next, self.prev = entry['ts'], index + 1, leaf_hash(raw).hex()
        return entry
class Chain:  # From key to key: an earlier key signs for the entry that introduces a later one.
    def __init__(self): self.introduced, self.retired = {}, {}
    def see(self, entry, index):
        kind, data = (entry['subj']['kind'], entry['type']), entry['data']
        if kind == ('signing_key', 'key.retired'): self.retired[data.get('vkey')] = data.get('last_size')
        if kind == ('signing_key', 'key.rotated'):
            old, anew = str(data.get('old')).split(' '), data.get('after') == 'quarantine'
            self.introduced.setdefault(data.get('new'), (index, old, data.get('first_size'), anew))
    def check(self, policy, origin, first_keys, where, warnings):
        believed, ids = set(), lambda vkey: tuple(vkey.split('+')[:2])
        for first, last, _, vkey in sorted(key for key in policy.chain if key[2] == origin):
            seq, old, size, anew = self.introduced.get(vkey, (0, [], None, False))
            old = [ids(each) for each in old if ids(each) in believed]
            signed = [each for each in policy.together if set(old) & each and policy.together[each] > seq]
            known = vkey in first_keys if first_keys else not believed
            require(believed or known, 'FIRST_KEY_CHANGED', '%s: its first key is %s' % (where, vkey))
            if not known and not (old and size == first and (signed or anew and not first_keys)):
                alone = [each for each in policy.together if ids(vkey) in each and not each & believed]
                require(not alone, 'KEY_NOT_INTRODUCED', '%s: no earlier key signed for %s' % (where, vkey))
                continue
            if not known and anew: warnings.append('%s: confirm %s, set after a quarantine' % (where, vkey))
            said = self.retired.get(vkey, last)
            require(said == last, 'KEY_RETIRED_OTHERWISE', '%s: %s was retired at %s' % (where, vkey, said))
            believed.add(ids(vkey))
def name_head(spine, data, where, house):  # Of the other logs, each later than the one before.
    heads, (size, root) = spine.setdefault(data['origin'], []), (data['size'], bytes.fromhex(data['root']))
    expect(type(size) is int and len(root) == 32 and size > (heads[-1][0] if heads else 0), where)
    expect(data['origin'].rpartition('/')[0] == house.rpartition('/')[0], where)
    heads.append((size, root))
def tile_path(folder, kind, n):  # 1234067 is x001/x234/067; an unfinished tile adds .p/<width>.
    return folder / 'tile' / kind / re.sub('(...)(?=.)', r'x\1/', str(n).zfill((len(str(n)) + 2) // 3 * 3))
def bundles(folder):
    for number in itertools.count():
        path, at, bundle = tile_path(folder, 'entries', number), 0, []
        parts = sorted(path.parent.glob(path.name + '.p/*'), key=lambda part: (len(part.name), part.name))
        if not path.is_file() and not parts: return
        data = (path if path.is_file() else parts[-1]).read_bytes()
        while at < len(data):  # Each entry follows its length in two bytes.
            start, at = at + 2, at + 2 + int.from_bytes(data[at:at + 2], 'big')
            require(at <= len(data), 'SIZE_MISMATCH', '%s is cut short' % path)
            bundle.append(data[start:at])
        yield bundle
        if len(bundle) != TILE: return
def parse_proof(data):  # C2SP tlog-proof. Its `extra` line is signed by nobody and therefore not used.
    proof, note = data.decode('utf-8').split('\n\n', 1)
    match = re.fullmatch(r'c2sp\.org/tlog-proof@v1\n(extra \S+\n)?index (0|[1-9][0-9]*)((\n\S{43}=)*)', proof)
    extra, *hashes = [base64_exact(line) for line in [(match[1] or '')[6:-1], *match[3].split()]]
    return int(match[2]), hashes, note.encode('utf-8')
def check_claim(path, sealed):
    value = json.loads(path.read_text('utf-8'), object_pairs_hook=ordered)
    salt = bytes.fromhex(re.fullmatch('[0-9A-Fa-f]{64}', value['salt'])[0])
    expect((value['id'], hmac.new(salt, value['body'].encode(), 'sha256').hexdigest()) in sealed, 'no entry')
def verify_pack(folder, policy, data, head, quorum):  # Some entries, each proven to be in the signed tree.
    for path in sorted(folder.glob('entries/*.*'), key=lambda path: (len(path.stem), path.name)):
        proof, raw = path.with_suffix('.tlog-proof'), path.with_suffix('.json').read_bytes()
        index, hashes, note = strictly('MALFORMED_PROOF', proof, parse_proof, proof.read_bytes())
        same = note == data or open_checkpoint(note, policy, proof, quorum) == head
        root = strictly('INCLUSION_MISMATCH', proof, root_from_proof, leaf_hash(raw), index, head[1], hashes)
        require(same and root == head[2] and path.stem == str(index), 'INCLUSION_MISMATCH', proof)
        if path == proof: yield index, raw
def verify_log(folder, policy, pins, disclosed, warnings, spine):  # By rank: the first failure counts.
    earlier, wrong_tiles, roots, data = [], [], {0: sha256(b'')}, (folder / 'checkpoint').read_bytes()
    def opened(quorum): return open_checkpoint(data, policy, folder / 'checkpoint', quorum)
    try: head = origin, size, root = opened('none')
    except Failure: opened(policy.quorum)  # Says it in the order of the other verifier.
    named = not origin.endswith('/spine') and (size, root) in spine.get(origin, [])
    quorum = 'none' if named else policy.quorum  # Who saw the spine saw every head that it names.
    opened(quorum)
    for path in pins + sorted(folder.glob('pinned')) + sorted(folder.glob('checkpoints/*')):
        past = open_checkpoint(path.read_bytes(), policy, path, 'none')
        require(past[0] == origin, 'ORIGIN_MISMATCH', path)
        require(past[1] <= size, 'ROLLBACK', '%s has size %d, the checkpoint only %d' % (path, past[1], size))
        earlier.append((past[1], past[2], path))
    def check_tile(level, number, row):
        path = Path(str(tile_path(folder, str(level), number)) + '.p/%d' % len(row) * (len(row) < TILE))
        if path.is_file() and path.read_bytes() != b''.join(row): wrong_tiles.append(str(path))
    whole = (folder / 'tile').is_dir() or not (folder / 'entries').is_dir()
    named = spine.get(origin, []) if whole and not origin.endswith('/spine') else []
    if whole:
        full, count, sizes = [], 0, {size, *(past[0] for past in earlier + named)}  # full: roots of tiles.
        peaks = []  # Of the perfect subtrees over full tiles: (height, root), from the left.
        for number, bundle in enumerate(bundles(folder)):
            row = [leaf_hash(raw) for raw in bundle]
            for past in sizes & set(range(count + 1, count + len(row) + 1)):
                roots[past] = subtree_root(row[:past - count])
                for _, peak in reversed(peaks): roots[past] = node(peak, roots[past])
            check_tile(0, number, row)
            count, full = count + len(row), full + [subtree_root(row)] * (len(row) == TILE)
            if len(row) == TILE:
                peaks.append((0, full[-1]))
                while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
                    (height, left), (_, right) = peaks[-2:]
                    peaks[-2:] = [(height + 1, node(left, right))]
        require(count == size, 'SIZE_MISMATCH', '%s: %d entries, not %d' % (folder, count, size))
        require(roots[size] == root, 'ROOT_MISMATCH', folder)
        for level in range(1, 9):  # Each hash of a level stands for a full tile of the level below.
            for n in range(0, len(full), TILE): check_tile(level, n // TILE, full[n:n + TILE])
            full = [subtree_root(full[n:n + TILE]) for n in range(0, len(full) - TILE + 1, TILE)]
    if (folder / 'entries').is_dir():
        pack, roots[size] = list(verify_pack(folder, policy, data, head, quorum)), root
        require(pack, 'FILE_MISSING', '%s: no entry is shown' % folder)
        if not whole: warnings.append('%s: only %d of %d entries are shown' % (folder, len(pack), size))
    for past_size, past_root, path in earlier:
        require(roots.get(past_size, past_root) == past_root, 'INCONSISTENT_WITH_PINNED', path)
        if past_size not in roots: warnings.append('%s not compared: a proof pack cannot show growth' % path)
    for past_size, past_root in named:
        require(past_size <= size, 'ROLLBACK', '%s: the spine names size %d' % (folder, past_size))
        require(roots[past_size] == past_root, 'SPINE_MISMATCH', '%s: size %d' % (folder, past_size))
    entries, sealed, disclosed = Entries(origin, whole), set(), disclosed + sorted(folder.glob('disclosed/*'))
    chain, contradicted = Chain(), []
    def shown(): return enumerate(raw for bundle in bundles(folder) for raw in bundle) if whole else pack
    for index, raw in shown():
        entry = entries.check(raw, index, '%s: entry %d' % (folder, index))
        chain.see(entry, index)
        if entry['type'] != 'spine.head' or not origin.endswith('/spine'): continue
        try: name_head(spine, entry['data'], index, origin)
        except Exception: contradicted.append('%s: entry %d names no later head' % (folder, index))
    for entry in filter(lambda entry: entry['body'], (json.loads(raw) for _, raw in shown())):
        path = folder / 'bodies' / entry['body']['ct']
        if path.is_file(): require(sha256(path.read_bytes()).hex() == path.name, 'BODY_HASH_MISMATCH', path)
        if disclosed: sealed.add((entry['id'], entry['body']['cm']))
    for path in disclosed: strictly('COMMITMENT_MISMATCH', path, check_claim, path, sealed)
    require(not wrong_tiles, 'TILE_MISMATCH', ' '.join(wrong_tiles))
    require(not contradicted, 'SPINE_MISMATCH', ' '.join(contradicted))
    follows = whole and policy.first_keys is not None  # Keys from elsewhere are believed as they are.
    if follows: chain.check(policy, origin, policy.first_keys, folder, warnings)
    return head
def check_inside(top):  # A link, a pipe or a device would lead out of the folder, or never end.
    for path in (Path(folder, name) for folder, *parts in os.walk(str(top)) for name in sum(parts, [])):
        require(stat.S_IFMT(path.lstat().st_mode) in (stat.S_IFDIR, stat.S_IFREG), 'OUTSIDE_FOLDER', path)
        require(path.lstat().st_size <= FILE_MAX, 'FILE_TOO_LARGE', path)
def check_complete(top, logs, spine, heads):  # Whole logs come with the spine and all that it names.
    below = [log for log in logs if log != top]
    if not below or not all((log / 'tile').is_dir() for log in below): return
    there = [head['origin'] for head in heads]
    require(any(each.endswith('/spine') for each in there), 'LOG_MISSING', '%s: the spine is not there' % top)
    for origin in spine: require(origin in there, 'LOG_MISSING', '%s: the spine names %s' % (top, origin))
def check_manifest(top):
    for line in (top / 'MANIFEST.sha256').read_text('utf-8', 'replace').rstrip('\n').split('\n'):
        match = re.fullmatch('([0-9a-f]{64}) [ *](.+)', line)
        require(not match or not re.match(r'/|(.*[/\\])?\.\.([/\\]|$)', match[2]), 'OUTSIDE_FOLDER', line)
        require(match and sha256((top / match[2]).read_bytes()).hex() == match[1], 'FILE_HASH_MISMATCH', line)
def check_told(top, logs, warnings, authorities):  # Rows, revisions, time stamps: the files beside this one.
    path = Path(__file__).with_name('verify_stamps.py')
    found = path.is_file() and runpy.run_path(str(path))['faults'](logs, authorities, warnings)
    if found or authorities and not path.is_file(): return found or [('FILE_MISSING', path, 3)]
    path = Path(__file__).with_name('verify_rows.py')
    if path.is_file(): return runpy.run_path(str(path))['faults'](top, logs, bundles, warnings)
    warnings.append('verify_rows.py is not beside verify.py: what entries say of revisions is not compared')
    return [('FILE_MISSING', '%s, which compares the rows' % path, 3)] * (top / 'rows').is_dir()
def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('dir', type=Path), parser.add_argument('--json', action='store_true')
    for name, kind in [('--policy', Path), ('--vkey', str), ('--first-key', str), ('--pinned', Path),
                       ('--disclose', Path), ('--timestamp-ca', Path)]:
        parser.add_argument(name, type=kind, action='append', default=[])
    args, heads, faults, warnings, spine = parser.parse_args(argv), [], [], [], {}
    top, logs = args.dir, sorted(path for path in args.dir.glob('logs/*') if path.is_dir())
    if not logs or any((top / name).exists() for name in ['checkpoint', 'tile', 'entries']): logs += [top]
    if len(logs) > 1 and args.pinned + args.disclose: parser.error('for --pinned or --disclose name one log')
    if len(args.policy) > 1 - bool(args.vkey): parser.error('give one --policy, or --vkey')
    def check_log(folder):
        path = (args.policy or [(folder if (folder / 'policy.txt').is_file() else top) / 'policy.txt'])[0]
        if not args.policy + args.vkey: warnings.append('%s is from the export: self-consistency only' % path)
        text = '\nlog '.join(['', *args.vkey]) + '\nquorum none\n'
        policy = strictly('MALFORMED_POLICY', path, Policy, text.encode() if args.vkey else path.read_bytes())
        policy.first_keys = None if args.policy + args.vkey else args.first_key
        origin, size, root = verify_log(folder, policy, args.pinned, args.disclose, warnings, spine)
        heads.append({'origin': origin, 'size': size, 'root': base64.b64encode(root).decode()})
    listed = (top / 'MANIFEST.sha256').exists() or (top / 'payload').exists()
    logs.sort(key=lambda log: log.name != 'spine')  # What the spine says is held against the others.
    def complete(folder): faults or check_complete(folder, logs, spine, heads)
    checks = [(check_inside, top)] + [(check_log, log) for log in logs] + [(check_manifest, top)] * listed
    for check, folder in checks + [(complete, top)]:
        if faults and faults[0][0] in ('OUTSIDE_FOLDER', 'FILE_TOO_LARGE'): break  # Nothing of it is read.
        try: check(folder)
        except Failure as failure: faults.append(failure.args)
        except OSError as error: faults.append(('FILE_MISSING', str(error), 3))
    heads.sort(key=lambda head: head['origin'])
    if not faults: faults = check_told(top, logs, warnings, args.timestamp_ca)
    reason, where, code = faults[0] if faults else (None, None, 0)
    report = {'ok': not faults, 'reason': reason, 'where': where, 'size': None, 'root': None, 'origin': None}
    report.update(heads[0] if len(logs) == len(heads) == 1 else {'logs': heads}, warnings=warnings)
    lines = ['trusting %s' % (args.vkey or args.policy or 'the export'), *('warning: ' + w for w in warnings)]
    lines += ['OK %(origin)s size=%(size)d root=%(root)s' % head for head in heads]
    lines += ['FAILED %s %s' % fault[:2] for fault in faults]
    for line in [json.dumps(report)] if args.json else lines: print(re.sub('[^ -~]', '?', line))
    return code
if __name__ == '__main__': sys.exit(main())
