// Mends the search of Snakemake's report: an empty term or a broken regular expression finds nothing
// instead of leaving a white page, and a second search shows its own results.
const searchFunc = SearchResults.prototype.getSearchFunc;

SearchResults.prototype.getSearchFunc = function () {
    try {
        return searchFunc.call(this);
    } catch {
        return () => false;
    }
};

SearchResults.prototype.componentDidUpdate = function (before) {
    if (before.searchTerm !== this.props.searchTerm) {
        const data = this.getData();
        this.setState({ data, toggles: this.getInitToggleState(data.toggleLabels) });
    }
};
