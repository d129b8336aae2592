/** EC2NodeClasses and NodePools that Belay has edited because nobody has left marks on them. */
import type { NodeClassSwitch } from '../../facts/facts.ts';
import type { AmiMove, SelectorTerm } from '../../plan/model/changes.ts';
import type { PlannedStep } from '../../plan/model/types.ts';
import type { KeyedNote } from './note.ts';

export function karpenterNotes({ params }: PlannedStep): KeyedNote[] {
  if (params.phase === 'karpenter-drift') return (params.moves ?? []).filter(({ owner }) => owner === undefined).map(moveNote);
  if (params.phase === 'freeze-drift')
    return (params.switches ?? []).filter(({ owner, from }) => owner === undefined && from !== '').map(switchNote);
  return [];
}

function moveNote({ nodeClass, before, terms, amiFamily }: AmiMove): KeyedNote {
  const object = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: nodeClass };
  const family = amiFamily === undefined ? [] : [amiFamily === null ? '  # no amiFamily' : `  amiFamily: ${amiFamily}`];
  return {
    key: `node class ${nodeClass}`,
    object: `EC2NodeClass ${nodeClass}`,
    says: before,
    lines: ['spec:', ...family, '  amiSelectorTerms:', ...terms.map(termLine)].join('\n'),
    fields: [
      { object, path: ['spec', 'amiSelectorTerms'], value: terms },
      ...(amiFamily === undefined || amiFamily === null ? [] : [{ object, path: ['spec', 'amiFamily'], value: amiFamily }]),
    ],
  };
}

const termLine = ({ alias, id }: SelectorTerm): string => (alias === undefined ? `    - id: ${id ?? ''}` : `    - alias: ${alias}`);

function switchNote({ nodePool, from, to }: NodeClassSwitch): KeyedNote {
  const object = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: nodePool };
  return {
    key: `node pool ${nodePool}`,
    object: `NodePool ${nodePool}`,
    says: `nodeClassRef ${from}`,
    lines: `spec:\n  template:\n    spec:\n      nodeClassRef:\n        name: ${to}`,
    fields: [{ object, path: ['spec', 'template', 'spec', 'nodeClassRef', 'name'], value: to }],
  };
}
