import { describe, expect, test } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { memberLabel, withLabelsOf } from '../../../src/plan/model/member-label.ts';
import { readMeta } from '../../../src/plan/model/read-meta.ts';
import { writeMeta } from '../../../src/plan/model/write-meta.ts';

describe('memberLabel', () => {
  test.each([
    ['signups_count', 'Signups Count', 'count', 'Signups'],
    ['uniqueBuyersCount', 'Unique Buyers Count', 'count_distinct', 'Unique buyers'],
    ['count', 'Count', 'count', 'Count'],
    ['account_count', 'Account Count', 'sum', 'Account count'],
    ['userId', 'User Id', 'string', 'User ID'],
    ['landing_url', 'Landing Url', 'string', 'Landing URL'],
    ['dayOfWeek', 'Day of Week', 'number', 'Day of week'],
  ] as const)('%s is read as people write it', (name, shortTitle, type, label) => {
    expect(memberLabel({ name, shortTitle, type })).toBe(label);
  });

  test('leaves a title that somebody wrote', () => {
    expect(memberLabel({ name: 'signups_count', shortTitle: 'New Customers Count', type: 'count' })).toBeUndefined();
  });
});

describe('the built-in model', () => {
  const members = builtInModel.cubes.flatMap(({ name, measures, dimensions }) =>
    [...measures, ...dimensions].map((member) => [`${name}.${member.name}`, member] as const),
  );

  test.each(members)('%s has a label in sentence case that names no count', (_, { label = '' }) => {
    expect(label).not.toBe('');
    expect(label).not.toMatch(/\bcount\b/i);
    expect(label.split(' ').slice(1).join(' ')).not.toMatch(/[A-Z][a-z]/);
  });

  test('puts no label on the wire', () => {
    expect(writeMeta(builtInModel)).not.toContain('"label"');
    expect(writeMeta(builtInModel)).toMatch(/"shortTitle": ?"Page Views Count"/);
  });
});

describe('withLabelsOf', () => {
  const told = (measures: readonly object[]) => {
    const read = readMeta({ cubes: [{ name: 'TrackedEvents', measures }] });
    if (!read.ok) throw new Error('the meta is read');
    return withLabelsOf(builtInModel, read.value).cubes[0]?.measures.map(memberLabel);
  };

  test("finds the labels of a server's members by their names", () => {
    const count = { name: 'TrackedEvents.count', title: 'Tracked Events Count', shortTitle: 'Count', aggType: 'count' };
    expect(told([count, { name: 'TrackedEvents.signupsCount', aggType: 'count' }])).toEqual(['Events', 'Signups']);
  });

  test('leaves a title that the server has of its own', () => {
    expect(told([{ name: 'TrackedEvents.count', shortTitle: 'All Hits' }])).toEqual([undefined]);
  });
});
