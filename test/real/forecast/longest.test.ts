/** `npm run test:real -- forecast`: the shapes that take as long as all others together, beside them. */
import { compareEach } from './compare-each.ts';
import { LONGEST, SHAPES } from './shapes.ts';

compareEach(SHAPES.filter(({ scenario }) => LONGEST.includes(scenario.name)));
