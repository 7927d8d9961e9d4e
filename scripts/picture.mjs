// Writes docs/filewright.svg, the picture of the README: `node scripts/picture.mjs`. A test compares the two.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const WIDTH = 960;
const BOX = { width: 150, height: 84 };

// What stands behind each box is the file that decides it (ARCHITECTURE.md).
const BOXES = [
  { at: [16, 88], title: 'Your table', lines: ['CSV, XLSX, or', 'the register'] },
  { at: [206, 88], title: 'Checks', lines: ['law, form, fee;', 'bad rows come back'] },
  { at: [396, 88], title: 'Second person', lines: ['approves hash,', 'count and fees'] },
  { at: [586, 20], title: 'Portal', lines: ['by program,', 'within its limits'] },
  { at: [586, 156], title: 'By hand', lines: ['one person takes it', 'for a time'] },
  { at: [794, 88], title: 'Receipt', lines: ['or an exception,', 'for a person'] },
];

const ARROWS = [
  [166, 130, 206, 130],
  [356, 130, 396, 130],
  [546, 130, 586, 62],
  [546, 130, 586, 198],
  [736, 62, 794, 130],
  [736, 198, 794, 130],
];

export function picture() {
  const boxes = BOXES.map(({ at: [x, y], title, lines }) => {
    const words = lines.map(
      (line, at) =>
        `<text x="${x + BOX.width / 2}" y="${y + 48 + at * 18}" class="small">${line}</text>`,
    );
    return `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/><text x="${x + BOX.width / 2}" y="${y + 26}" class="title">${title}</text>${words.join('')}`;
  });
  const arrows = ARROWS.map(
    ([a, b, c, d]) => `<line x1="${a}" y1="${b}" x2="${c - 6}" y2="${d}" marker-end="url(#tip)"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 312" font-family="sans-serif" role="img">
<title>How a filing goes</title>
<style>rect{fill:#fff;stroke:#333}line{stroke:#333;stroke-width:1.5}text{text-anchor:middle;fill:#111}.title{font-size:16px;font-weight:bold}.small{font-size:13px}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#333"/></marker></defs>
<rect x="0" y="0" width="${WIDTH}" height="312" style="stroke:none"/>
${boxes.join('\n')}
${arrows.join('\n')}
<rect x="16" y="262" width="928" height="38" rx="6" style="fill:#eef"/>
<text x="480" y="286" class="small">The ledger: every step is an entry that no one can change unnoticed, and that an outsider can check</text>
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL('../docs/filewright.svg', import.meta.url)), picture());
}
