/** docs/reference/answers.md is what the program answers today, and each answer says all that a file note needs. */
import { expect, it } from 'vitest';
import { answersPage, NOTES_PER_PACK } from './answers-page.ts';

const page = answersPage();

it('the page of answers is current; npm run answers writes it', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/reference/answers.md');
});

it('holds fifty of each pack, each with steps, confidence and versions, and a source', () => {
  for (const pack of ['Entities', 'Grants']) {
    const notes = page.split(`### ${pack} `).slice(1);
    expect(notes).toHaveLength(NOTES_PER_PACK);
    for (const note of notes) {
      const words = note.split('```')[1] ?? '';
      expect(words).toMatch(/^ +1\. /m);
      expect(words).toMatch(/confidence/);
      expect(words).toMatch(/rules \d{4}-\d\d-\d\d\.\d+/);
      // A rule from memory may know no section; it says that it decides nothing.
      expect(words).toMatch(/\[[^\]]+\]|ALARM FROM_MEMORY|nothing is owed/);
    }
  }
});
