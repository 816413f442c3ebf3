// Icons as inline SVG paths on a 24 x 24 grid: emoji glyphs are missing on many machines.

const PATHS = {
  play: '<path d="M8 5.2v13.6a.8.8 0 0 0 1.2.7l11-6.8a.8.8 0 0 0 0-1.4l-11-6.8A.8.8 0 0 0 8 5.2z" fill="currentColor" stroke="none"/>',
  pause: '<rect x="6.5" y="5" width="4" height="14" rx="1.2" fill="currentColor" stroke="none"/><rect x="13.5" y="5" width="4" height="14" rx="1.2" fill="currentColor" stroke="none"/>',
  back: '<path d="M6 5v14M19 6v12l-9-6z"/>',
  forward: '<path d="M18 5v14M5 6v12l9-6z"/>',
  loop: '<path d="M17 2.5l3.5 3.5L17 9.5"/><path d="M3.5 11.5V10a4 4 0 0 1 4-4h13M7 21.5L3.5 18 7 14.5"/><path d="M20.5 12.5V14a4 4 0 0 1-4 4h-13"/>',
  trail: '<path d="M3 18c4.500 0 3.500-9 8-9 3.500 0 3 5 6 5"/><circle cx="19.500" cy="14" r="1.900" fill="currentColor"/>',
  axes: '<path d="M9 15V4M9 15h11M9 15l-5.500 5.500"/><path d="M6.800 6.200L9 4l2.200 2.200M17.800 12.800L20 15l-2.200 2.200"/>',
  contact: '<circle cx="12" cy="8" r="5"/><path d="M3 13.500h18M7 17.500h10M10 21h4"/>',
  strand: '<path d="M4.500 19.500c1-2.500 1.500-3.500 3-5 1-4 2.500-6.500 6-7 1.500-1.500 2.500-2 6-3-1 3.500-1.500 4.500-3 6-.5 3.500-3 5-7 6-1.500 1.500-2.500 2-5 3z"/>',
  follow: '<circle cx="12" cy="12" r="7"/><circle cx="12" cy="12" r="1.800" fill="currentColor"/><path d="M12 2v4M12 18v4M2 12h4M18 12h4"/>',
  camera: '<path d="M4 9V5.500A1.500 1.500 0 0 1 5.500 4H9M15 4h3.500A1.500 1.500 0 0 1 20 5.500V9M20 15v3.500a1.500 1.500 0 0 1-1.500 1.500H15M9 20H5.500A1.500 1.500 0 0 1 4 18.500V15"/><circle cx="12" cy="12" r="2.500"/>',
  energy: '<path d="M3 20h18"/><path d="M3 15.500c3 0 3-10 6-10s3 8 6 8 3-5 6-5"/>',
  theme: '<circle cx="12" cy="12" r="8.500"/><path d="M12 3.500a8.500 8.500 0 0 1 0 17z" fill="currentColor"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5.500"/><circle cx="12" cy="7.600" r=".9" fill="currentColor"/>',
  keys: '<rect x="2.500" y="6" width="19" height="12.500" rx="2.500"/><path d="M6.500 10h.01M10.200 10h.01M13.800 10h.01M17.500 10h.01M8 14.500h8"/>',
  reset: '<path d="M4 12a8 8 0 1 0 2.600-5.900"/><path d="M4 3.500V8h4.500"/>',
  sliders: '<path d="M4 7h9M19 7h1M4 17h1M11 17h9"/><circle cx="16" cy="7" r="2.600"/><circle cx="8" cy="17" r="2.600"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
};

/** The named icon as an <svg> element. */
export function icon(name) {
  const holder = document.createElement("template");
  holder.innerHTML =
    `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.700" ` +
    `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
  return holder.content.firstChild;
}
