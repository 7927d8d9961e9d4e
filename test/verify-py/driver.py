"""Runs many checks of verify.py in one process: a list of commands on stdin, a list of answers on stdout."""
import base64, contextlib, functools, importlib.util, io, json, sys
from pathlib import Path

sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location('verify', sys.argv[1])
verify = importlib.util.module_from_spec(specification)
specification.loader.exec_module(verify)
# Each distinct signature is still checked by openssl, but only once: starting it is most of the time.
verify.is_signed = functools.lru_cache(maxsize=None)(verify.is_signed)


def run(argv):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = verify.main([*argv, '--json'])
    return {**json.loads(output.getvalue()), 'code': code}


def accepts(function, *arguments):
    try:
        return bool(function(*arguments) or True)
    except (verify.Failure, ValueError, LookupError, TypeError, RecursionError):
        return False


def flip(argv, file, byte, bit):
    path, original = Path(file), Path(file).read_bytes()
    changed = bytearray(original)
    changed[byte] ^= 1 << bit
    path.write_bytes(bytes(changed))
    try:
        return run(argv)
    finally:
        path.write_bytes(original)


def note(vkeys, data):
    policy = verify.Policy(('\n'.join('log ' + key for key in vkeys) + '\nquorum none\n').encode())
    text, signatures = verify.parse_note(data.encode())
    return sorted({name for name, *_ in verify.signers(text, signatures, policy, 'note')[0]})


def root_of_proof(leaf, index, size, proof):
    root = verify.root_from_proof(bytes.fromhex(leaf), index, size, [bytes.fromhex(item) for item in proof])
    return root.hex()


def answer(command):
    kind, *rest = command
    if kind == 'run': return run(rest[0])
    if kind == 'flip': return flip(*rest)
    if kind == 'canonical': return accepts(verify.parse_canonical, base64.b64decode(rest[0]))
    if kind == 'policy': return accepts(verify.Policy, (rest[0] + '\n').encode('utf-8', 'surrogatepass'))
    if kind == 'quorum':
        policy = verify.Policy((rest[0] + '\n').encode())
        return policy.is_met(policy.quorum, set(rest[1]))
    if kind == 'note': return note(*rest) if accepts(note, *rest) else None
    if kind == 'proof': return root_of_proof(*rest) if accepts(root_of_proof, *rest) else None
    if kind == 'root': return verify.subtree_root([verify.leaf_hash(bytes.fromhex(leaf)) for leaf in rest[0]]).hex()
    if kind == 'tile path': return str(verify.tile_path(Path('.'), '0', rest[0]))
    raise ValueError(kind)


print(json.dumps([answer(command) for command in json.load(sys.stdin)]))
