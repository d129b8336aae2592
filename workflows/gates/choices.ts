/** For phases whose gates' texts are not in workflows/messages yet. */
export { CHOICES, goAnyway } from '../messages/choices.ts';
