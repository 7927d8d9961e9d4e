"""Rows of an export (rows/*.ndjson) against the entries of its logs; used by verify.py, written apart from the program.
Each entry says what some rows must hold; the last word about a field counts. A row that differs, a row that no entry
knows and an entry whose row is gone are failures. Kept in a temporary database on disk, so that memory stays small."""
import hashlib, json, sqlite3
def canonical(value): return json.dumps(ordered(value), ensure_ascii=False, separators=(',', ':'))
def ordered(value):  # RFC 8785 sorts names by their UTF-16 units.
    if isinstance(value, list): return [ordered(one) for one in value]
    if not isinstance(value, dict): return value
    return {name: ordered(value[name]) for name in sorted(value, key=lambda name: name.encode('utf-16-be'))}
def sha256(text): return hashlib.sha256(text.encode('utf-8')).hexdigest()
def word(value): return value if isinstance(value, str) else json.dumps(value)
def known(values): return {name: value for name, value in values.items() if value is not None}
# --- What entries say: lists of (table, id, fields, fields no longer known, whether there must be a row).
OWED = 'batch lane jurisdiction effect entity filing_kind period obligation not_before due last_safe'.split()
class Entry:
    def __init__(self, entry, boundary):
        self.type, self.data, self.log = entry['type'], entry['data'], boundary
        self.kind, self.id, self.ver = (entry['subj'][name] for name in ('kind', 'id', 'ver'))
        self.by, self.secret = entry['actor']['id'], entry['cls'] == 'privileged'
        self.whom = self.by if entry['actor']['kind'] == 'user' else None
        self.ct, self.key = (entry['body'][name] if entry['body'] else None for name in ('ct', 'key'))
    def get(self, name): return self.data.get(name)
    def given(self, *names): return {name: self.data[name] for name in names if name in self.data}
    def row(self, kind, fields, id=None, drop=(), must=True): return (kind, id or self.id, fields, drop, must)
def says(entry):
    if 'set_aside' in entry.data:
        kept = {'bytes': None, 'reason': None, **entry.get('set_aside')}
        name, fields = '%s/%s' % (entry.log, kept.get('sha256')), {each: kept[each] for each in ('bytes', 'reason')}
        return [entry.row('set_aside', fields, name), entry.row(entry.kind, {}, drop=['*'], must=False)]
    rule, said = RULES.get(entry.type), []
    if rule: said = rule(entry)
    elif entry.kind == 'lane': said = lane(entry)
    if entry.kind == 'docket':
        said = said + [entry.row('docket', {'access_ver' if entry.log == 'access' else 'ver': entry.ver})]
    if entry.kind == 'person': said = said + [entry.row('person', {'ver': entry.ver}, must=False)]
    return said + any_proposal(entry)
def state(entry):
    get, own = entry.get, {**entry.given('revision', 'key'), 'ver': entry.ver}
    if 'to' in entry.data: own['status'] = get('to')
    if not entry.secret: own.update(entry.given('payload_sha256'))
    kept = {name: own[name] for name in ('key', 'payload_sha256') if name in own}
    if 'from' in entry.data and get('from') is None:
        own.update(entry.given(*OWED), exceptions=0, receipt=None, withdrawn=False, payload_ct=entry.ct, first_key=get('key'))
        if not entry.secret: own['first_payload_sha256'] = get('payload_sha256')
        return [entry.row('filing', own), entry.row('revision', kept, entry.id + '/1', must=False)]
    own.update(entry.given('receipt'))
    if get('cause') != 'correct': return [entry.row('filing', own)]
    return [entry.row('filing', own, drop=['payload_ct']),  # The proposal says which sealed payload it is now.
            entry.row('revision', {}, '%s/%d' % (entry.id, get('revision') - 1)),
            entry.row('revision', kept, '%s/%d' % (entry.id, get('revision')), must=False)]
def act(entry, name, **more):
    fields = {'filing': entry.id, 'n': entry.get('exception'), 'act': name, 'reason': entry.get('reason'),
              'by': entry.by, **more}
    return entry.row('review_act', {}, '%s/%s' % (entry.id, sha256(canonical(known(fields)))))
def receipt(entry):
    number = entry.get('receipt')
    given = entry.get('to') == 'accepted' or entry.get('cause') == 'hand_correct'
    if not isinstance(number, str) or not given: return []
    shared = entry.get('shared_receipt') is True
    name = '%s %s' % (word(entry.get('lane')), number)
    return [entry.row('receipt', {} if shared else {'filing': entry.id}, name, must=not shared)]
def review(entry):
    get, cause = entry.get, entry.get('cause')
    def closed(how):
        return entry.row('exception', {'resolution': how, 'closed_by': entry.by},
                         '%s/%s' % (entry.id, word(get('exception'))))
    if cause == 'accept_as_filed':
        return [entry.row('filing', {'verdict': 'review', 'code': 'ACCEPTED_AS_FILED'}),
                closed('accepted as filed'), *receipt(entry),
                act(entry, 'accepted_as_filed', receipt=get('receipt'), evidence=get('evidence_sha256'))]
    if cause == 'reject':
        evidence = sha256(get('not_filed')) if isinstance(get('not_filed'), str) else None
        return [closed('rejected'), act(entry, 'rejected', evidence=evidence)]
    if cause == 'withdraw':
        why = {'by': entry.by, 'reason': get('reason'), 'covered': get('covered') is True}
        return [entry.row('filing', {'withdrawn': True, 'verdict': 'withdrawn', 'code': 'WITHDRAWN'}),
                entry.row('withdrawal', {**why, 'proposal': get('proposal'), 'replaced_by': get('replaced_by')})]
    if cause == 'hand_correct': return receipt(entry)
    if cause not in ('replay', 'correct'): return []
    item = {**entry.given('action', 'revision', 'key', 'payload_sha256'), 'n': get('exception'),
            'not_filed': get('not_filed')}
    return [closed('corrected' if cause == 'correct' else 'replayed'),
            entry.row('review_item', item, '%s/%s' % (word(get('proposal')), entry.id))]
def attempt(entry): return '%s/%s' % (entry.id, word(entry.get('attempt')))
def outcome(entry):
    both = entry.given('verdict', 'code')
    return [*state(entry), entry.row('filing', both), entry.row('outcome', {**both, 'ct': entry.ct}, attempt(entry)),
            *receipt(entry), *by_hand(entry)]
def intent(entry):
    rows = [*state(entry), entry.row('attempt', {'action': entry.get('action')}, attempt(entry))]
    taken = entry.row('taking', {'by': entry.by, 'ended': None}, attempt(entry))  # Renewed without an entry.
    return rows + [taken] * (entry.get('action') == 'file')
ENDS = {'accepted': 'filed', 'rejected': 'refused', 'transient': 'not_filed'}
def by_hand(entry):
    get, name, proof = entry.get, attempt(entry), entry.get('evidence_type')
    if get('action') not in ('file', 'look'): return []
    ended = ENDS.get(get('verdict'), 'unsure' if get('code') == 'UNSURE' else 'lost')
    looked = {'by': entry.by, 'found': get('verdict') != 'transient', **entry.given('place', 'looked_at')}
    row = entry.row('taking', {'ended': ended}, name) if get('action') == 'file' else entry.row('look', looked, name)
    file = {'kind': proof, 'sha256': get('evidence_sha256'), 'shared': get('shared_evidence') is True}
    return [entry.row('attempt', entry.given('action'), name), row] + (
        [entry.row('confirmation', file, name)] if proof not in (None, 'text') else [])  # Words have no row of their own.
def enveloped(entry):
    fields = {'status': entry.get('to'), 'reason': entry.get('reason'), 'ct': entry.ct, 'resolution': None,
              'closed_by': None, 'assigned_to': None}
    return [entry.row('filing', {'exceptions': entry.ver}, must=False),
            entry.row('exception', fields, '%s/%d' % (entry.id, entry.ver))]
def assigned(entry):
    person = entry.get('to_person')
    return [*state(entry), act(entry, 'assigned', to_person=person),
            entry.row('exception', {'assigned_to': person}, '%s/%s' % (entry.id, word(entry.get('exception'))))]
def proposal(entry, kind, fields, n=1, drop=()):
    return entry.row('proposal', fields, '%s/%s/%s' % (kind, entry.id, word(n)), drop)
def opened(by, **more): return {'proposed_by': by, 'state': 'open', 'decided_by': None, **more}
def proposed(entry):
    get, kind = entry.get, word(entry.get('kind'))
    fields = opened(entry.by, reason=get('reason'), sha256=get('sha256'), computed_sha256=get('sha256'),
                    count=get('count'))
    item = '%s/%s' % (entry.id, word(get('filing')))
    sealed = [entry.row('review_item', {'payload_ct': entry.ct}, item, must=False)]
    return [proposal(entry, kind, fields)] + sealed * (kind == 'correct' and entry.ct is not None)
def withdrawn(entry):  # Withdrawn by who proposed it, refused by another.
    fields = {'decided_by': entry.by, 'decision_reason': entry.get('reason')}
    return [proposal(entry, word(entry.get('kind')), fields, drop=['state'])]
def approved(entry):
    get, decision = entry.get, {'state': 'approved', 'decided_by': entry.by}
    if entry.kind == 'release': return [entry.row('proposal', decision)]  # Its hash is that of the filings.
    if entry.kind != 'batch': return [proposal(entry, word(get('kind')), {**decision, 'sha256': get('sha256')})]
    fields = {'count': get('count'), 'sha256': get('sha256'), 'state': 'approved', 'ver': get('batch_ver')}
    fees = get('fees') if get('fees') is not None else []
    return [entry.row('batch', fields), entry.row('batch_approval', {'fees': fees}), proposal(entry, 'batch', decision, get('proposal_n') or 1)]
def computed(frozen):  # Over no filing nothing is computed.
    return {'computed_' + name: value if frozen['count'] else None for name, value in frozen.items()}
def batch_changed(entry):
    frozen = {'count': entry.get('count'), 'sha256': entry.get('sha256')}
    return [entry.row('batch', {**frozen, **computed(frozen), 'state': 'frozen', 'ver': entry.ver})]
def batch_cancelled(entry):  # What two people had approved stays on record as it was.
    left = {} if entry.get('approved') is True else dict.fromkeys('count sha256 computed_count computed_sha256'.split())
    return [entry.row('batch', {**left, 'state': 'cancelled', 'ver': entry.get('batch_ver')})]
def asked(entry):
    return [entry.row('batch_question', {'question': entry.get('question'), 'filing': entry.get('filing'),
                                         'asked_by': entry.by, 'answer': None, 'answered_by': None})]
def batch_closed(entry):
    frozen = {'count': entry.get('count'), 'sha256': entry.get('sha256')}
    whole = isinstance(entry.get('lanes') or [], list)  # Of very many lanes the entry has the hash alone.
    terms = {'terms': canonical({**frozen, **entry.given('lanes')})} if whole else {}
    return [entry.row('batch', {**frozen, **computed(frozen), 'state': 'frozen', 'ver': entry.ver}),
            proposal(entry, 'batch', opened(entry.by, **terms))]
def any_proposal(entry):  # By its id, or by what it is about: made with odd versions of that, decided with even ones.
    end, get, n = entry.type.replace('_', '.').split('.')[-1], entry.get, (entry.ver + 1) // 2
    if entry.kind in ('proposal', 'release'): name = entry.id
    elif entry.kind == 'quarantine_release': name = 'quarantine/%s/%d' % (entry.id, n)
    elif all(part in entry.data for part in ('kind', 'subject', 'sha256')):
        name = '%s/%s/%d' % (word(get('kind')), word(get('subject')), n)
    else: return []
    if end == 'proposed':
        fields = opened(entry.by, sha256=get('sha256'), computed_sha256=get('sha256'), **entry.given('reason'))
        return [entry.row('proposal', fields, name)]
    if end not in ('approved', 'refused', 'withdrawn', 'declined'): return []
    fields = {'sha256': get('sha256'), 'decided_by': entry.by}
    if end == 'approved': return [entry.row('proposal', {**fields, 'state': 'approved'}, name)]
    if 'reason' in entry.data: fields['decision_reason'] = get('reason')
    if 'proposed_by' in entry.data: fields['state'] = 'withdrawn' if get('proposed_by') == entry.by else 'refused'
    return [entry.row('proposal', fields, name, drop=['state'])]
def person(entry):
    fields = entry.given('name', 'skeleton', 'party')
    if entry.type != 'person.joined': fields['disabled'] = entry.type == 'person.disabled'
    return [entry.row('person', fields)] + (roles(entry) if entry.type == 'person.added' else [])
def roles(entry):
    taken, agreed = entry.type == 'role.taken', entry.get('proposal')
    fields = {'held': True, 'taken_by': None, 'taken_proposal': None, 'given_by': entry.whom, 'proposal': agreed}
    if taken: fields = {'held': False, 'taken_by': entry.by, 'taken_proposal': agreed}
    period = ('role_taken', {'taken_by': entry.by}) if taken else ('role_given', {'given_by': entry.whom})
    names = ['%s/%s' % (entry.id, word(role)) for role in entry.get('roles') or []]
    return [row for name in names for row in (  # The latest, and each time.
        entry.row('person_role', fields, name), entry.row(*period, '%s/%s' % (name, word(agreed))))]
def key_added(entry):
    agreed, owner = entry.get('proposal'), {'person': entry.id, 'revoked_by': None}
    fields = {**entry.given('name', 'key_sha256', 'days'), **owner, 'proposal': agreed}
    return [entry.row('person_key', {**fields, 'issued_by': None if agreed else entry.whom}, word(entry.get('key')))]
def key_revoked(entry):
    fields = {**entry.given('name', 'key_sha256'), 'revoked_by': entry.by}
    return [entry.row('person_key', fields, word(entry.get('key')))]
def link_made(entry):
    return [entry.row('sign_in_link', {**entry.given('link_sha256', 'made_by'), 'person': entry.id}, word(entry.get('link')))]
def session(entry):
    fields = entry.given('session_sha256', 'way', 'credential', 'hours')
    end = {'ended_by': entry.by} if entry.type == 'session.ended' else {'person': entry.id, 'ended_by': None}
    return [entry.row('person_session', {**fields, **end}, word(entry.get('session')))]
def token(entry):
    fields = entry.given('name', 'token_sha256', 'acts', 'days')
    end = {'revoked_by': entry.by} if entry.type == 'token.revoked' else {'owner': entry.id, 'revoked_by': None}
    return [entry.row('program_token', {**fields, **end}, word(entry.get('token')))]
def code(entry):  # Two codes make a key: of who proposed it, and of who approved it.
    if 'code_sha256' not in entry.data: return []
    if entry.type == 'person.proposed':
        return [entry.row('enrollment', {'first_sha256': entry.get('code_sha256')}, must=False)]
    return [entry.row('enrollment', {'second_sha256': entry.get('code_sha256'), **entry.given('person')})]
def quarantine_left(entry):
    own = {'state': 'out', 'left_by': entry.by, 'ver': entry.ver}
    release = {'state': 'approved', 'decided_by': entry.by, 'proposed_by': entry.get('proposed_by')}
    name = 'quarantine/%s#%d/%s' % (entry.id, entry.ver - 1, word(entry.get('release')))
    return [entry.row('quarantine', own), entry.row('proposal', release, name)]
def hold_placed(entry):
    digest = entry.get('sha256')
    fields = {'subject': entry.get('subject'), 'placed_by': entry.by, 'released_by': None, 'sha256': digest,
              'ver': entry.ver}
    return [entry.row('hold', fields), proposal(entry, 'hold', opened(
        entry.by, terms=canonical({'act': 'release'}), sha256=digest, computed_sha256=digest))]
def hold_released(entry):
    return [entry.row('hold', {'released_by': entry.by, 'ver': entry.ver}),
            proposal(entry, 'hold', {'state': 'approved', 'decided_by': entry.by})]
def profiled(entry):
    digest, begun = entry.get('profile_sha256'), {**entry.given('ceiling'), **SENDS, 'breaker': 'closed'}
    fields = {**entry.given('profile_sha256', 'origin', 'effect'), 'stored_sha256': digest, 'numbered_sha256': digest,
              'stored_origin': entry.get('origin'), 'ver': entry.ver, **(begun if entry.ver == 1 else {})}
    return [entry.row('lane', fields, drop=['ceiling'] * (entry.ver > 1)),
            entry.row('lane_profile', {'origin': entry.get('origin')}, '%s %s' % (entry.id, digest))]
SENDS = {'paused': None, 'until': None}
def lane(entry):
    if entry.kind != 'lane': return []
    breaker = {'breaker': entry.get('to')} if isinstance(entry.get('to'), str) else {}
    said = {'lane.ceiling': {'ceiling': entry.get('to')}, 'lane.resumed': SENDS,
            'lane.paused': {'paused': entry.get('reason'), 'until': entry.get('until')}}.get(entry.type, breaker)
    return [entry.row('lane', {**said, 'ver': entry.ver}, must=False)]
def change_proposed(entry):  # In the same moment as the row of a webhook, which it covers by its hash.
    if entry.get('kind') != 'webhook': return []
    return [entry.row('subscription', entry.given('sha256'), word(entry.get('subject')))]
def owed(entry):  # One that is not open has dates in its row that are nobody's duty.
    fields = entry.given(*'entity jurisdiction filing_kind period state as_of rule_version calendar_version'.split())
    fields.update(entry.given('due', 'raw', 'fee_cents'), rule=entry.get('rule'), ver=entry.ver)
    return [entry.row('obligation', fields, drop=['due', 'raw', 'fee_cents'])]
def redated(entry):
    dates = entry.get('to') or {}
    return [entry.row('docket', {'due': dates.get('due'), 'final': dates.get('final')})]
def decided(kind, how):
    def rule(entry):
        fields = {'decided_by': entry.by, **({'state': how} if how else {})}
        return [proposal(entry, kind, fields, entry.get('n'), () if how else ['state'])]
    return rule
def statement(entry):
    terms = known({**entry.given('statement', 'replacement'), 'restores': entry.type == 'feed.restoration_proposed'})
    return [proposal(entry, 'statement', opened(entry.by, terms=canonical(terms)), (entry.ver + 1) // 2)]
def resolution(entry):
    terms = canonical(known(entry.given('resolution', 'document', 'amends')))
    return [proposal(entry, 'exception', opened(entry.by, terms=terms), entry.ver // 2)]
def docket_received(entry):
    digest = {} if entry.secret else entry.given('payload_sha256')
    fields = {**digest, **entry.given('read_sha256'), 'payload_ct': entry.ct, 'confirmed': False, 'closed': False,
              'sealed_under': entry.key, 'received_by': entry.whom, 'dating_sha256': None}
    return [entry.row('docket', fields)]
def docket_version(entry):
    digest = {} if entry.secret else entry.given('payload_sha256')
    fields = {**digest, **entry.given('read_sha256'), 'payload_ct': entry.ct}
    return [entry.row('docket_version', fields, '%s/%s' % (entry.id, word(entry.get('version'))))]
def docket_closed(entry):
    return [entry.row('docket', {'closed': True, 'closed_by': entry.by, 'how': entry.get('how'),
                                 'closing_receipt': entry.get('receipt'), 'in_time': entry.get('in_time')})]
def plain(kind, names='', id=None, **more):  # Fields under the names that the entry itself uses.
    def rule(entry):
        fields = {name: value(entry) for name, value in more.items()}
        return [entry.row(kind, {**entry.given(*names.split()), **fields}, id and id(entry))]
    return rule
def by(entry): return entry.by
def ct(entry): return entry.ct
def always(value): return lambda entry: value
def of(name): return lambda entry: entry.get(name)
def ver(entry): return entry.ver
AWARD_END = plain('award_end', exception=of('exception'), by_award=of('by'))
RULES = {
    'filing.state': lambda entry: state(entry) + review(entry), 'filing.outcome': outcome,
    'filing.intent': intent,
    'dlq.enveloped': enveloped, 'review.assigned': assigned, 'review.proposed': proposed,
    'review.withdrawn': withdrawn, 'approval.granted': approved, 'batch.closed': batch_closed,
    'batch.changed': batch_changed, 'batch.cancelled': batch_cancelled, 'batch.asked': asked,
    'batch.answered': plain('batch_question', 'answer', answered_by=by), 'filing.held_back': plain('held_back', 'batch reason', by=by),
    'batch.opened': plain('batch', 'source prepared_by', state=always('open'), count=always(None), sha256=always(None)),
    **dict.fromkeys(['obligation.computed', 'obligation.moved', 'obligation.restated'], owed),
    'obligation.met': plain('obligation', state=always('met'), ver=ver),
    'obligation.superseded': plain('obligation', state=always('superseded'), ver=ver),
    **dict.fromkeys(['entity.recorded', 'entity.changed'],
                    plain('entity', 'jurisdiction registry_number kind origin', ct=ct, ver=ver)),
    'approval.voided': plain('approval_void', 'cause filings', lambda e: '%s/%d' % (e.id, e.ver)),
    'person.added': person, 'person.disabled': person, 'person.enabled': person, 'person.joined': person,
    'role.given': roles, 'role.taken': roles, 'key.added': key_added, 'key.revoked': key_revoked,
    'link.made': link_made, 'session.started': session, 'session.ended': session, 'token.added': token, 'token.revoked': token,
    'person.proposed': code, 'person.approved': code, 'hold.placed': hold_placed, 'hold.released': hold_released,
    'lane.profiled': profiled, **dict.fromkeys(['lane.paused', 'lane.resumed', 'lane.ceiling', 'breaker.opened',
                                                'breaker.half_open', 'breaker.closed'], lane),
    'change.proposed': change_proposed, 'docket.redated': redated,
    'quarantine.entered': plain('quarantine', state=always('in'), left_by=always(None), ver=ver),
    'quarantine.left': quarantine_left,
    'retention.shredded': lambda entry: [
        entry.row('shredded_key', {'state': 'shredded'}, key) for key in entry.get('keys') or []],
    'subscription.added': plain('subscription', 'host types allow_private', removed=always(False),
                                approved=always(False)),
    'subscription.enabled': plain('subscription', approved=always(True)),
    'recipient.added': plain('recipient', removed=always(False), ver=ver),
    'recipient.removed': plain('recipient', removed=always(True), ver=ver),
    'mail.set': plain('mail_setting', 'smtp sender allow_private', ver=ver),
    'subscription.removed': plain('subscription', removed=always(True)),
    'alert.acknowledged': plain('alert', acknowledged_by=by),
    'docket.conflict': docket_version, 'docket.dated': plain('docket', dating_sha256=of('dating_sha256')),
    'docket.seconded': plain('docket_second', 'event_sha256', by=by, decided_for=always(None),
                             decided_by=always(None), reason=always(None)),
    'docket.second_decided': plain('docket_second', 'reason', decided_for=of('for'), decided_by=by),
    'docket.revealed': plain('docket_reveal', 'reason', lambda e: '%s/%s' % (e.id, e.by)),
    'docket.received': docket_received, 'docket.closed': docket_closed,
    'docket.handoff': plain('handoff', 'tier target party due final', lambda e: '%s/%s' % (e.id, word(e.get('handoff')))),
    'docket.given': lambda entry: [entry.row('docket', {'confirmed': False, 'confirmed_by': None}, drop=['tier'])],
    'docket.confirmed': plain('docket', 'tier', confirmed=always(True), confirmed_by=of('by')),
    'routing.activated': plain('routing_setup', 'matrix people', lambda e: str(e.ver), activated_by=by),
    'period.closed': plain('period', 'from to account closing_cents totals_hash matched_cents outcomes'),
    'period.released': plain('release', 'received cents'),
    'balance.stated': plain('balance', id=lambda e: '%s/%d' % (e.id, e.ver), cents=of('cents'), stated_by=by),
    **{type: plain('resolution', id=lambda e: '%s/%d' % (e.id, e.ver), resolved_by=by, awards=awards,
                   **{name: of(name) for name in 'reason cents fee_cents rest rest_cents undoes'.split()})
       for type, awards in (('line.resolved', of('awards')), ('line.undone', always([])))},
    'exception.opened': plain('grant_exception', 'boundary escalation_code payload_hash envelope_hash',
                              violation_codes=of('violation_codes'), amends=of('amends'), ct=ct),
    'exception.resolution_proposed': resolution, 'exception.resolution_approved': decided('exception', 'approved'),
    'exception.resolution_withdrawn': decided('exception', None), 'feed.withdrawal_proposed': statement,
    'feed.restoration_proposed': statement, 'feed.withdrawal_approved': decided('statement', 'approved'),
    'feed.withdrawal_refused': decided('statement', None),
    'document.ingested': plain('grant_document', 'records accepted repeated refused format'),
    'feed.ingested': plain('grant_feed', 'format statements lines'),
    'registration.checked': plain('grant_check', 'jurisdiction checked_on', attached_by=by),
    'report.drawn': plain('grant_report', 'kind from to figures hash', ct=ct),
    'rules.evaluated': plain('grant_evaluation', 'crossings obligations sha256', ct=ct),
    'duty.filed': plain('grant_duty', 'filing_kind period filed_on receipt_sha256', lambda e: '%s/%d' % (e.id, e.ver),
                        evidence_sha256=of('evidence_sha256'), reason=of('reason'), filed_by=by, ct=ct),
    'award.amended': AWARD_END, 'award.cancelled': AWARD_END}
# --- What rows say only together: the hash over a batch, and that over a proposal with its items.
class Sums:
    def __init__(self, put): self.put, self.batch, self.proposal = put, None, None
    def add(self, kind, id, row):
        if kind == 'filing':
            if self.batch is None or self.batch[0] != row['batch']:
                self.end_batch()
                self.batch = [row['batch'], hashlib.sha256(), 0]
            if row.get('in_batch_hash') is False: return  # Withdrawn before anybody approved it.
            self.batch[1].update(('%s %s\n' % (row['first_key'], row['first_payload_sha256'])).encode())
            self.batch[2] += 1
        elif kind == 'proposal':
            self.end_proposal()
            text = 'filewright proposal 1\n%s %s %s\n%s\n' % (
                row['kind'], row['subject'], sha256(row['reason']), row['terms'])
            self.proposal = [id, hashlib.sha256(text.encode('utf-8')), 0]
        elif kind == 'review_item' and self.proposal:
            proof = '-' if row['not_filed'] is None else sha256(row['not_filed'])
            parts = [id.split('/', 1)[1], row['n'], row['action'], row['revision'], row['key'], row['payload_sha256']]
            self.proposal[1].update((' '.join(map(word, parts + [proof])) + '\n').encode('utf-8'))
            self.proposal[2] += 1
    def end_batch(self):
        if self.batch and self.batch[2]:
            id, digest, count = self.batch
            self.put('batch', word(id), {'computed_count': count, 'computed_sha256': digest.hexdigest()})
        self.batch = None
    def end_proposal(self):
        if self.proposal:
            id, digest, count = self.proposal
            self.put('proposal', id, {'computed_sha256': digest.hexdigest(), 'count': count})
        self.proposal = None
def same(expected, found):
    text = canonical(found)
    if canonical(expected) == text: return True
    short = isinstance(expected, dict) and set(expected) == {'bytes', 'sha256'}  # Too long for an entry.
    return short and expected['bytes'] == len(text.encode('utf-8')) and expected['sha256'] == sha256(text)
class Comparison:
    def __init__(self):
        self.base = sqlite3.connect('')  # A file of its own that nobody else sees, gone at the end.
        self.base.execute('create table said (name text primary key, fields text, must int, open int)')
        self.base.execute('create table found (name text primary key, fields text, whole int, quiet int)')
        self.shredded = set()
        self.sums = Sums(lambda kind, id, fields: self.put(kind, id, fields, 0, 0))
    def tell(self, entry, boundary):
        for kind, id, fields, drop, must in says(Entry(entry, boundary)):
            name = kind + ' ' + id
            if kind == 'shredded_key': self.shredded.add(id)
            old = self.base.execute('select fields, must, open from said where name = ?', [name]).fetchone()
            said, musts, opens = (json.loads(old[0]), old[1], old[2]) if old else ({}, 0, 0)
            if '*' in drop: said, opens = {}, 1
            for field in drop: said.pop(field, None)
            said.update(fields)
            row = [name, json.dumps(said), int(musts or must), opens]
            self.base.execute('insert or replace into said values (?, ?, ?, ?)', row)
    def find(self, kind, id, fields, quiet):
        self.put(kind, id, fields, 1, quiet)
        self.sums.add(kind, id, fields)
    def put(self, kind, id, fields, whole, quiet):
        name = kind + ' ' + id
        old = self.base.execute('select fields, whole, quiet from found where name = ?', [name]).fetchone()
        found, wholes, quiets = (json.loads(old[0]), old[1], old[2]) if old else ({}, 0, 0)
        row = [name, json.dumps({**found, **fields}), int(wholes or whole), int(quiets or quiet)]
        self.base.execute('insert or replace into found values (?, ?, ?, ?)', row)
    def differences(self):
        self.sums.end_batch(), self.sums.end_proposal()
        for name, fields, must, opens, row, whole in self.base.execute(
                'select s.name, s.fields, s.must, s.open, f.fields, f.whole from said s left join found f using (name)'):
            if not whole:
                if must and not opens: yield 'ENTRY_WITHOUT_ROW', name
                continue
            found, said = json.loads(row), json.loads(fields)
            gone = said.pop('sealed_under', None) in self.shredded  # Only shredding destroys, and it leaves an entry.
            for field, expected in said.items():
                if not same(expected, found.get(field)) and not (gone and found.get(field) == {'destroyed': True}):
                    pair = json.dumps(expected), json.dumps(found.get(field))
                    yield 'ROW_DIFFERS', name + ': %s expected %s, found %s' % (field, *pair)
        for name, in self.base.execute(  # A shared receipt is the first filing's, and no entry says whose that was.
                'select f.name from found f left join said s using (name) where f.whole and not f.quiet and '
                '(s.name is null or not (s.must or s.open)) and not (s.name is not null and f.name like \'receipt %\')'):
            yield 'ROW_WITHOUT_ENTRY', name
class Revisions:  # Key and payload hash of a filing are those with which its revision began, wherever they are named.
    def __init__(self): self.begun = {}
    def holds(self, entry):
        data, sealed = entry['data'], entry['cls'] == 'privileged'
        key, payload = data.get('key'), data.get('payload_sha256')
        if entry['subj']['kind'] != 'filing' or not isinstance(key, str): return True
        if not sealed and not isinstance(payload, str): return True
        both = hashlib.sha256(json.dumps([key, sealed or payload]).encode()).digest()[:8]
        subject = hashlib.sha256(entry['subj']['id'].encode()).digest()[:16]  # To save memory.
        if data.get('from', '') is None or data.get('cause') == 'correct': self.begun.pop(subject, None)
        return self.begun.setdefault(subject, both) == both
def faults(top, logs, bundles, warnings):
    """Called when the logs were found to hold: what they say is believed here. The first failure, as verify.py tells it."""
    def lines(name):
        if not (top / name).is_file(): return
        with open(top / name, encoding='utf-8') as file:
            for line in file: yield json.loads(line)
    def entries(folder): return (json.loads(raw) for bundle in bundles(folder) for raw in bundle)
    missing, destroyed, knows = {}, set(), False
    def destroys(entry):
        keys = entry['data'].get('keys') if entry['type'] == 'retention.shredded' else None
        destroyed.update(keys if isinstance(keys, list) else [])
    for folder in logs:
        revisions, sealed = Revisions(), (folder / 'bodies').is_dir()
        for index, entry in enumerate(entries(folder)):
            place, body = '%s: entry %d' % (folder, index), entry['body']
            if not revisions.holds(entry): return [('REVISION_MISMATCH', place, 7)]
            if sealed and body and not (folder / 'bodies' / body['ct']).is_file():
                missing.setdefault(body['key'], place)
            if entry['log'].endswith('/access'): knows = destroys(entry) or True
    try:
        for fact in lines('unsigned.ndjson') if missing else []: destroys(fact)
    except (ValueError, KeyError, TypeError) as error: return [('MALFORMED_ROWS', str(error), 7)]
    if missing and not knows: warnings.append('bodies are missing, and the log that says which keys were destroyed')
    for key in missing if knows else []:  # Only shredding may take a body away, and it leaves an entry.
        if key not in destroyed: return [('BODY_UNREADABLE', '%s: its body, no entry ends %s' % (missing[key], key), 7)]
    if not (top / 'rows').is_dir(): return []
    comparison = Comparison()
    for folder in sorted(logs, key=lambda folder: folder.name != 'filing'):
        for entry in entries(folder): comparison.tell(entry, folder.name)
    try:
        unsigned = 0
        for unsigned, fact in enumerate(lines('unsigned.ndjson'), 1): comparison.tell(fact, fact['boundary'])
        if unsigned: warnings.append('%d facts of the rows are not yet signed' % unsigned)
        for path in sorted((top / 'rows').glob('*.ndjson')):
            for kind, id, fields, quiet in lines('rows/' + path.name): comparison.find(kind, id, fields, quiet)
    except (ValueError, KeyError, TypeError) as error: return [('MALFORMED_ROWS', str(error), 7)]
    first = next(comparison.differences(), None)
    return [] if first is None else [(*first, 7)]
