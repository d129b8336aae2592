/** What the record keeps of what others were asked to change. */
import { expect, test } from 'vitest';
import { AskedChanges } from '../../../../domain/run/record/change-requests.ts';

const change = (text: string) => ({
  step: 'istio@1.34',
  at: '2026-02-10T01:00:00Z',
  component: 'istio' as const,
  name: 'istiod-1-30',
  version: '1.30.1',
  managedBy: 'flux',
  text,
});

test('the same text is kept once', () => {
  const asked = new AskedChanges();
  for (const text of ['Please merge a', 'Please merge b', 'Please merge a']) asked.add(change(text));
  expect(asked.all.map(({ text }) => text)).toEqual(['Please merge a', 'Please merge b']);
});

test('a long text is cut and says so; beyond the bound what was asked for is kept without its text', () => {
  const asked = new AskedChanges();
  for (let index = 0; index < 30; index += 1) asked.add(change(`${index} ${'x'.repeat(5_000)}`));
  expect(asked.all[0]?.text).toMatch(/x \(cut: 5002 characters\)$/);
  expect(asked.all).toHaveLength(30);
  expect(asked.all.at(-1)).toMatchObject({ name: 'istiod-1-30', text: '(left out: the record holds 64000 characters of such texts)' });
  expect(JSON.stringify(asked.all).length).toBeLessThan(80_000);
});
