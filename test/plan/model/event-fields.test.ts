import { expect, it } from 'vitest';
import { eventFields, spellingsOf, userKeyColumn } from '../../../src/plan/model/event-fields.ts';

const field = (column: string) => {
  const found = eventFields.find((candidate) => candidate.column === column);
  if (!found) throw new Error(column);
  return found;
};

it('gives no two fields a spelling that differs only by letter case', () => {
  const owners = new Map<string, string>();
  for (const each of eventFields) {
    for (const spelling of spellingsOf(each)) {
      expect(owners.get(spelling.toLowerCase()), spelling).toBeUndefined();
      owners.set(spelling.toLowerCase(), each.column);
    }
  }
  expect(owners.has(userKeyColumn)).toBe(false);
});

it('knows the names of all vocabularies, bare and as raw exports prefix them', () => {
  expect(spellingsOf(field('doc_path')).slice(0, 5)).toEqual([
    'docPath',
    'pageUrlpath',
    'doc_path',
    'page_urlpath',
    'TrackedEvents.docPath',
  ]);
  expect(spellingsOf(field('utc_time'))).toContain('TrackedEvents.derivedTstamp');
  expect(spellingsOf(field('event_id'))).toContain('eventn_ctx_event_id');
  expect(spellingsOf(field('viewport_size'))).toContain('vp_size');
  expect(spellingsOf(field('user_anonymous_id'))).toContain('Jitsu.userAnonymousId');
});

it("does not take the collector's clock for the time of the event", () => {
  const all = eventFields.flatMap(spellingsOf);
  expect(all).not.toContain('collector_tstamp');
  expect(all).not.toContain('dvce_created_tstamp');
});

it('has only plain snake_case columns', () => {
  for (const each of eventFields) expect(each.column).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

it('names only spellings of its own field where values get a text in front', () => {
  for (const each of eventFields) {
    if (each.values?.kind !== 'prepend') continue;
    for (const name of each.values.names) expect(spellingsOf(each)).toContain(name);
  }
});
