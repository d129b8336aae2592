/** `slack:` in belay.yaml: where upgrades are told and decided. */
import { z } from 'zod';
import { text } from '../base/fields.ts';

export const slackSchema = z.strictObject({
  channel: text('write a channel id such as C012AB3CD (channel details, at the bottom) or its name')
    .describe('Where threads of upgrades open')
    .optional(),
  stakeholders: text('write a channel id such as C012AB3CD or its name')
    .describe('Second channel, told when an upgrade starts, needs approval and ends')
    .optional(),
});
