/** Labels under the names, and in the shapes, in which people and programs write them. */
import { partyId } from '../../src/core/index.ts';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { accessOf } from '../../src/dockets/rules/access/rights.ts';
import type { Party } from '../../src/dockets/rules/access/people.ts';
import { readDocketDocument } from '../../src/dockets/rules/docket/map-document.ts';
import { readDocketMapping } from '../../src/dockets/rules/docket/mapping-file.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import { eventOf, people, readMapping, readSample, REJECTION } from './firm.ts';

const { privilege: _privilege, ...UNLABELLED } = REJECTION;

function labelsOf(changes: Record<string, JsonValue>) {
  const reading = readDocketRow({ ...UNLABELLED, ...changes });
  return reading.kind === 'event' ? reading.event.labels : reading.glimpse.labels;
}

describe('privilege', () => {
  it.each<[Record<string, JsonValue>]>([
    [{ privilege_markers: ['attorney-client'] }],
    [{ privilege_markers: 'attorney-client' }],
    [{ privilegeMarkers: 'attorney-client; ' }],
    [{ 'Privilege Marker': ['attorney-client', ''] }],
    [{ attorney_client_privilege: true }],
    [{ attorney_client_privilege: 'yes' }],
    [{ attorney_client_privilege: 1 }],
    [{ attorneyClientPrivileged: 'TRUE' }],
    [{ attorney_client: true }],
    [{ labels: { privilege: ['attorney-client'] } }],
    [{ labels: { privilege: 'attorney-client' } }],
    [{ labels: { privilege: { 'attorney-client': true, 'work-product': false } } }],
    [{ labels: { attorney_client_privilege: true } }],
    [{ labels: [{ privilege: 'attorney-client' }] }],
    [{ 'labels.privilege': 'attorney-client' }],
    [{ meta: { security: { privilege_markers: [{ marker: 'attorney-client' }] } } }],
    [{ privilege: ['attorney-client'], privilege_markers: null, privileged: false }],
  ])('%j', (changes) => {
    expect(labelsOf(changes)).toEqual({ classification: [], privilege: ['attorney-client'] });
  });

  it('of no kind is a label too', () => {
    for (const changes of [{ privileged: true }, { privilege: true }, { is_privileged: 'x' }]) {
      expect(labelsOf(changes).privilege).toEqual(['privileged']);
    }
    expect(labelsOf({ labels: ['Attorney-Client Privileged', 'secret'] })).toEqual({
      classification: ['secret'],
      privilege: ['Attorney-Client Privileged'],
    });
  });

  it('that is denied by the record itself is none', () => {
    for (const no of [false, 'no', 'FALSE', 0, null, '', [], {}]) {
      expect(labelsOf({ attorney_client_privilege: no, privilege_markers: no, class: no })).toEqual(
        {
          classification: [],
          privilege: [],
        },
      );
    }
  });
});

describe('classification', () => {
  it.each<[Record<string, JsonValue>]>([
    [{ class: 'secret' }],
    [{ class: ['secret'] }],
    [{ Class: { level: 'secret' } }],
    [{ labels: { class: ['secret'] } }],
    [{ labels: { classification: 'secret' } }],
    [{ classification_tags: ['secret'] }],
    [{ security_classification: 'secret' }],
  ])('%j', (changes) => {
    expect(labelsOf(changes)).toEqual({ classification: ['secret'], privilege: [] });
  });
});

it('a reader without the right sees a docket under none of the names', () => {
  const clerk: Party = {
    kind: 'person',
    id: partyId('clerk'),
    name: 'Clerk',
    target: undefined,
    allow: ['client:*'],
    deny: [],
  };
  const isShown = (changes: Record<string, JsonValue>): boolean =>
    accessOf(eventOf(readDocketRow({ ...UNLABELLED, ...changes })).event, clerk, people).may;
  expect(isShown({})).toBe(true);
  for (const name of ['privilege_markers', 'attorney_client_privilege', 'class', 'labels']) {
    for (const value of [
      true,
      'attorney-client',
      ['x1'],
      { privilege: ['x1'] },
      [{ class: true }],
    ]) {
      expect(isShown({ [name]: value }), JSON.stringify({ [name]: value })).toBe(false);
    }
  }
});

describe('an office’s own document', () => {
  const mapping = readDocketMapping(readMapping('uspto-file-wrapper.json'));
  const sample = readSample('patent-uspto-file-wrapper.json');
  const read = (change: (document: Document) => void) => {
    const document = JSON.parse(sample) as Document;
    change(document);
    const { readings } = readDocketDocument(document as unknown as JsonValue, mapping);
    return readings.map((reading) => eventOf(reading).event.labels);
  };
  interface Document extends Record<string, unknown> {
    patentFileWrapperDataBag: (Record<string, unknown> & {
      applicationMetaData: Record<string, unknown>;
      eventDataBag: Record<string, unknown>[];
    })[];
  }
  const MARKED = [{ classification: [], privilege: ['attorney-client'] }];

  it.each<[string, (document: Document) => void]>([
    ['document', (one) => void (one['privilege_markers'] = ['attorney-client'])],
    [
      'record',
      (one) => {
        for (const record of one.patentFileWrapperDataBag)
          record['privilege_markers'] = 'attorney-client';
      },
    ],
    [
      'metadata',
      (one) => {
        for (const record of one.patentFileWrapperDataBag)
          record.applicationMetaData['labels'] = { privilege: ['attorney-client'] };
      },
    ],
    [
      'event',
      (one) => {
        for (const record of one.patentFileWrapperDataBag)
          for (const event of record.eventDataBag) event['attorney_client_privilege'] = true;
      },
    ],
  ])('has its labels on the %s', (_where, change) => {
    expect(read(change)).toEqual(MARKED);
  });

  it('gives a marker of one event to no other, and takes a class of technology for no label', () => {
    const labels = read((one) => {
      for (const record of one.patentFileWrapperDataBag) {
        Object.assign(record.applicationMetaData, { class: '435', cpcClassificationBag: ['C12N'] });
        for (const event of record.eventDataBag)
          if (event['eventCode'] !== 'MCTNF') event['privilege_markers'] = ['attorney-client'];
      }
    });
    expect(labels).toEqual([{ classification: [], privilege: [] }]);
  });
});
