/** `belay rollback CLUSTER --list`: what a person reads before choosing a step. */
import { expect, test } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { renderUndoOptions } from '../../../cli/render/undo.ts';

test('steps that can be undone say how long, at what cost and until when; the others why not', () => {
  const text = renderUndoOptions([
    {
      step: 'add-ons',
      title: 'Add-ons back',
      possible: true,
      expectedMs: 240_000,
      cost: 'about 2 minutes each',
      until: 'the next upgrade',
      why: ['EKS does not offer coredns v1.11.3-eksbuild.1 for 1.32.'],
    },
    { step: 'karpenter-controller', possible: false, why: ['Karpenter 1.1.10 does not support 1.33.'] },
  ]);
  expect(stripVTControlCharacters(text)).toBe(
    [
      '✓ add-ons: Add-ons back, about 4 min',
      '    About 2 minutes each. Until the next upgrade.',
      '    stays EKS does not offer coredns v1.11.3-eksbuild.1 for 1.32.',
      '✗ karpenter-controller: cannot be undone now',
      '    ✗ Karpenter 1.1.10 does not support 1.33.',
    ].join('\n'),
  );
});

test('without a record nothing can be undone', () => {
  expect(renderUndoOptions([])).toBe('No run on record has a step that can be undone on its own.');
});
