/** Everything a gate says, where its message shows the most important part. */
import type { ModalView } from '@slack/types';
import type { OpenGate } from '../../domain/gates/gate.ts';
import { gateDetails } from '../blocks/gate-body.ts';
import { header } from '../blocks/kit/elements.ts';
import { LIMITS, plain } from '../blocks/kit/text.ts';
import { detailsLabel } from '../messages/gates.ts';

export function detailsView(gate: OpenGate): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: plain(detailsLabel(), LIMITS.modalTitle) },
    close: { type: 'plain_text', text: 'Close' },
    blocks: [header(gate.title), ...gateDetails(gate)].slice(0, LIMITS.modalBlocks),
  };
}
