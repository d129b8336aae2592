/** Everything a gate says, where its message shows the most important part. */
import type { ModalView } from '@slack/types';
import type { OpenGate } from '../../domain/gates/gate.ts';
import { gateDetails } from '../blocks/gate-body.ts';
import { header, type Rendered, sections } from '../blocks/kit/elements.ts';
import { LIMITS, plain } from '../blocks/kit/text.ts';
import { detailsLabel } from '../messages/gates.ts';

export const detailsView = (gate: OpenGate): ModalView => modal([header(gate.title), ...gateDetails(gate)].slice(0, LIMITS.modalBlocks));

/** Words in the gate's place. */
export const detailsWords = ({ text }: Pick<Rendered, 'text'>): ModalView => modal(sections(text.split('\n'), 2));

const modal = (blocks: ModalView['blocks']): ModalView => ({
  type: 'modal',
  title: { type: 'plain_text', text: plain(detailsLabel(), LIMITS.modalTitle) },
  close: { type: 'plain_text', text: 'Close' },
  blocks,
});
