startTheme();
startFilters();
startTimeline();
startPlaces();
startEvents();
startSource();
refresh();
document.documentElement.dataset.ready = "yes";
